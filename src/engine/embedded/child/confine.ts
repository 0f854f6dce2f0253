/**
 * The child's first stage: it confines itself and replaces itself with a new process image. Node has started threads
 * before any of our code runs, and the confinement applies only to threads that start later.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChildPlan, notConfined } from './child-plan.ts';
import { closeProc, procFiles } from './closed-proc.ts';
import { restrictTo } from './landlock.ts';
import { openNative } from './native.ts';

const CLOSE_RANGE = 436;
const CLOEXEC = 4;
const LAST_DESCRIPTOR = 0x7fffffff;

/** Does not return. */
export function startConfined(
  plan: ChildPlan,
  library: string,
  engineArgs: readonly string[],
): never {
  const native = openNative();
  const { confine } = plan;
  if (confine !== null) {
    const read = [...confine.read, ...ownFiles(library)];
    closeProc(native, confine.emptyFolder);
    const readWrite = [...confine.readWrite, '/dev/null'];
    const { listen, connect } = confine;
    const holds = restrictTo(native, { read, readWrite, listen, connect });
    if (!holds) process.stderr.write(`${notConfined}\n`);
  }
  // The ruleset, and files that the service inherited.
  native.syscall(CLOSE_RANGE, 3, LAST_DESCRIPTOR, CLOEXEC);
  const next = JSON.stringify({ ...plan, library } satisfies ChildPlan);
  const self = fileURLToPath(new URL(import.meta.url.replace(/confine(\.[jt]s)$/, 'child$1')));
  process.execve?.(
    process.execPath,
    // Otherwise Node reads the system's OpenSSL configuration, which it can no longer open.
    [process.execPath, '--openssl-config=/dev/null', self, next, ...engineArgs],
    process.env as Record<string, string>,
  );
  throw new Error('This Node cannot replace its own process.');
}

/** Files of the second stage: Node, this code, the libraries, and the system files that the engine reads. */
function ownFiles(library: string): readonly string[] {
  const here = dirname(fileURLToPath(import.meta.url));
  const mapped = mappedFiles();
  return [
    process.execPath,
    here,
    ...manifestsAbove(here),
    ...packageFolders(mapped),
    library,
    ...mapped,
    '/lib',
    '/lib64',
    '/usr/lib',
    '/usr/lib64',
    '/etc/ld.so.cache',
    // The machine's memory and processors, and the process's own usage.
    ...procFiles.map((name) => join('/proc', name)),
    '/sys/fs/cgroup',
    '/sys/devices/system/cpu',
    '/dev/urandom',
    '/dev/random',
  ];
}

/** Node uses them to determine a file's module type. */
function manifestsAbove(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const manifest = join(at, 'package.json');
    if (existsSync(manifest)) found.push(manifest);
  }
  return found;
}

/** The libraries loaded by this process, wherever they are installed. */
function mappedFiles(): readonly string[] {
  const maps = readFileSync('/proc/self/maps', 'utf8');
  const files = [...maps.matchAll(/ (\/\S+\.(?:so|node)\S*)$/gm)].map(([, file]) => file ?? '');
  return [...new Set(files)];
}

/** The FFI package: its JavaScript, and its native part, which is a separate package. */
function packageFolders(mapped: readonly string[]): readonly string[] {
  const native = mapped.filter((file) => file.endsWith('.node'));
  const script = createRequire(import.meta.url).resolve('ffi-rs/package.json');
  return [script, ...native].map((file) => dirname(realpathSync(file)));
}
