/**
 * `<data folder>/server.json`: how a command on the same machine reaches a running server's backends. Further servers that
 * use the folder at the same time have `server-<pid>.json`.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from '../lib/private-file.ts';
import { makePrivateFolder } from '../lib/private-folder.ts';

const serverFile = z.object({
  pid: z.number().int().positive(),
  /** The device and inode of the folder, which a copy of it does not have. Older servers write none. */
  folder: z.string().optional(),
  /** URL of the service. */
  url: z.string(),
  /** Whether it holds the folder's lock; a server without local backends does not. */
  holds_data_folder: z.boolean(),
  database_url: z.string(),
  engine: z.object({
    url: z.string(),
    /** Set for a multi-node engine. */
    nodes: z.array(z.string()).optional(),
    cluster: z.string().optional(),
    user: z.string(),
    password: z.string(),
    /** The passwords of the projects' engine users are derived from it. */
    secret: z.string(),
    /** Whether the server started the engine: its users are then in a file that only the server writes. */
    local: z.boolean(),
  }),
});

export type ServerFile = z.infer<typeof serverFile>;

const firstName = 'server.json';

/** Leaves the file of another server that is running. */
export function writeServerFile(dataDir: string, facts: Omit<ServerFile, 'folder'>): void {
  makePrivateFolder(dataDir);
  const first = readFacts(join(dataDir, firstName));
  // Only one server can hold the lock: the file of another that held it is left over, whoever has its pid now.
  const isLeftOver = first?.holds_data_folder === true && facts.holds_data_folder;
  const isTaken = first !== null && !isLeftOver && first.pid !== facts.pid && isAlive(first.pid);
  const name = isTaken ? `server-${facts.pid}.json` : firstName;
  const own: ServerFile = { ...facts, folder: identityOf(dataDir) };
  writePrivateFile(join(dataDir, name), `${JSON.stringify(own, null, 2)}\n`);
}

/** Of a running server, preferably of the one that holds the folder's lock; null if there is none. */
export function readServerFile(dataDir: string): ServerFile | null {
  const running = listFiles(dataDir)
    .map(readFacts)
    .filter((facts) => facts !== null && isAlive(facts.pid));
  return running.find((facts) => facts?.holds_data_folder) ?? running[0] ?? null;
}

/** Removes the file of this process. Others are left: their processes may run in another container. */
export function removeServerFile(dataDir: string): void {
  for (const path of listFiles(dataDir)) {
    if (readFacts(path)?.pid === process.pid) rmSync(path, { force: true });
  }
}

/** `server.json` first. */
function listFiles(dataDir: string): readonly string[] {
  const own = namesIn(dataDir).filter((name) => /^server(?:-\d+)?\.json$/.test(name));
  const first = own.filter((name) => name === firstName);
  return [...first, ...own.filter((name) => name !== firstName)].map((name) => join(dataDir, name));
}

/** Of a folder that cannot be listed, the one name that can be tried. */
function namesIn(dataDir: string): readonly string[] {
  try {
    return readdirSync(dataDir);
  } catch {
    return [firstName];
  }
}

/** Null also for one that came with a copy of another folder, whose server runs for that one. */
function readFacts(path: string): ServerFile | null {
  try {
    const { data = null } = serverFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    const isOwn = data?.folder === undefined || data.folder === identityOf(dirname(path));
    return isOwn ? data : null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR' || error instanceof SyntaxError) return null;
    throw error;
  }
}

function identityOf(dir: string): string {
  const { dev, ino } = statSync(dir, { bigint: true });
  return `${dev}:${ino}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
