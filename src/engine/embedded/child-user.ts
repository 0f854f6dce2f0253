/**
 * The user of the local engine's child process. A query that gets past every other check has this user's rights, so a
 * service started by root gives the child a user of its own, which owns the engine's folder and nothing else.
 */
import { chmod, chown, lchown, lstat, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makePrivateFolder } from '../../lib/private-folder.ts';

export interface ChildUser {
  readonly uid: number;
  readonly gid: number;
}

/** A user id that no system assigns; not `nobody`, which the local PostgreSQL runs as. */
export const engineUser: ChildUser = { uid: 65_117, gid: 65_117 };

export interface EngineFolder {
  readonly root: string;
  /** Relative to `root`. */
  readonly dirs: readonly string[];
}

export interface FolderOwner {
  /** Null for the user of this process. */
  readonly user: ChildUser | null;
  /** Why the child runs as root although it should not; null when it does not. */
  readonly warning: string | null;
}

/**
 * Creates the folders, readable only by their owner, and gives them to the child's user. Root uses the owner of an
 * existing folder, so that a single start as root does no harm, and otherwise `engineUser`. Files that an earlier start
 * created as another user change their owner as well.
 */
export async function prepareFolder(
  folder: EngineFolder,
  runAs: 'self' | 'other',
): Promise<FolderOwner> {
  const found = await stat(folder.root).catch(() => null);
  for (const dir of [folder.root, ...folder.dirs]) {
    makePrivateFolder(dir);
    await chmod(dir, 0o700);
  }
  if (process.getuid?.() !== 0) return { user: null, warning: null };
  if (runAs === 'self') return { ...(await stayRoot(folder, '')), warning: null };
  const owner = found === null || found.uid === 0 ? engineUser : { uid: found.uid, gid: found.gid };
  if (!(await maySwitch())) return stayRoot(folder, 'this process is not allowed to switch users');
  const blocked = await blockedFolderAbove(folder.root, owner);
  if (blocked !== null) {
    return stayRoot(folder, `its user ${owner.uid} cannot access ${blocked}`);
  }
  try {
    await changeOwner(folder, owner);
    return { user: owner, warning: null };
  } catch (error) {
    return stayRoot(folder, `its folder cannot be given to user ${owner.uid}: ${String(error)}`);
  }
}

/** CAP_CHOWN, CAP_SETGID and CAP_SETUID: a container may have taken them from root. */
const NEEDED = (1n << 0n) | (1n << 6n) | (1n << 7n);

async function maySwitch(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return effective === undefined || (BigInt(`0x${effective}`) & NEEDED) === NEEDED;
}

/** Keeps root as the owner, which tells a later start as another user that the files need a new owner. */
async function stayRoot(folder: EngineFolder, reason: string): Promise<FolderOwner> {
  for (const dir of [...folder.dirs, folder.root]) await chown(dir, 0, 0);
  return {
    user: null,
    warning: `The local ClickHouse runs as root: ${reason}. Set DATA_DIR to a folder that other users can access, such as one in /var/lib, or start the service as another user.`,
  };
}

/**
 * The outermost folder above `root` that the user may not traverse; null when there is none. The direct parent is the
 * service's own: it becomes traversable, but not readable.
 */
async function blockedFolderAbove(root: string, owner: ChildUser): Promise<string | null> {
  const parent = dirname(root);
  const own = await stat(parent);
  if (own.uid === 0 && (own.mode & 0o077) === 0) await chmod(parent, (own.mode & 0o777) | 0o011);
  const above: string[] = [];
  for (let at = parent; ; at = dirname(at)) {
    above.unshift(at);
    if (at === dirname(at)) break;
  }
  for (const dir of above) {
    const { uid, gid, mode } = await stat(dir);
    const needed = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
    if ((mode & needed) === 0) return dir;
  }
  return null;
}

/** Contents first, so that the next start repeats an interrupted walk. */
async function changeOwner({ root, dirs }: EngineFolder, owner: ChildUser): Promise<void> {
  for (const dir of [...dirs, root]) {
    if ((await stat(dir)).uid === owner.uid) continue;
    if (dir !== root) await changeContents(dir, owner);
    await chown(dir, owner.uid, owner.gid);
  }
}

/** Changes the owner of links without following them. */
async function changeContents(dir: string, owner: ChildUser): Promise<void> {
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    if ((await lstat(path)).isDirectory()) await changeContents(path, owner);
    await lchown(path, owner.uid, owner.gid);
  }
}

/** Writes texts by file name into a folder that the user owns. */
export async function writePrivateFiles(
  dir: string,
  files: Readonly<Record<string, string>>,
  owner: ChildUser | null,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(dir, name);
    await writeFile(path, text, { mode: 0o600 });
    await chmod(path, 0o600);
    if (owner !== null) await chown(path, owner.uid, owner.gid);
  }
}
