/**
 * The local engine's process: it confines itself, loads the native ClickHouse library and runs its main function with
 * the given arguments. It exits at once when its standard input or parent process ends, so it never outlives the
 * service.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DataType, isNullPointer, load, open } from 'ffi-rs';
import type { ChildPlan } from './child-plan.ts';
import { startConfined } from './confine.ts';
import { openNative } from './native.ts';

const LIBRARY = 'chdb';

/** Kills instead of exiting: an exit waits for the library's threads, which do not end while it is serving. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function libraryPath(): string {
  const suffix = process.platform === 'linux' ? '-gnu' : '';
  const name = `@chdb/lib-${process.platform}-${process.arch}${suffix}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const files = ['libchdb.so', 'libchdb.dylib'].map((file) => join(dirname(manifest), file));
    const found = files.find((file) => existsSync(file));
    if (found !== undefined) return found;
  } catch {
    // Not installed: reported below.
  }
  return fail(
    `The local engine needs the package ${name}, which is not installed. It exists for Linux with glibc and for macOS, on x64 and arm64. Install with optional dependencies, or set CLICKHOUSE_URL to a server.`,
  );
}

/** Drops root for good: groups first, while that is still allowed. */
function become({ uid, gid }: NonNullable<ChildPlan['user']>): void {
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid) fail('The user did not change.');
}

const PR_SET_PDEATHSIG = 1;
const PR_SET_DUMPABLE = 4;
const SIGKILL = 9;

/**
 * Makes it end with its parent, and hides its memory from its own user. Runs after the change of user, which resets
 * both.
 */
function protectSelf(): void {
  const native = openNative();
  native.prctl(PR_SET_PDEATHSIG, SIGKILL);
  native.prctl(PR_SET_DUMPABLE, 0);
}

/** Loads the library before the change of user, since that user may not be able to read it. */
async function run(plan: ChildPlan, args: readonly string[]): Promise<void> {
  open({ library: LIBRARY, path: plan.library ?? libraryPath() });
  if (plan.user !== null) become(plan.user);
  if (process.platform === 'linux') protectSelf();
  const argv = ['clickhouse', ...args];
  const result = await load({
    library: LIBRARY,
    funcName: 'chdb_query_cmdline',
    retType: DataType.External,
    paramsType: [DataType.I32, DataType.StringArray],
    paramsValue: [argv.length, argv],
    runInNewThread: true,
  });
  process.stderr.write(
    isNullPointer(result) ? 'The engine could not start.\n' : 'The engine ended by itself.\n',
  );
  endNow();
}

const [planText = '', ...engineArgs] = process.argv.slice(2);
const plan = JSON.parse(planText) as ChildPlan;
if (process.platform === 'linux' && plan.library === undefined) {
  startConfined(plan, libraryPath(), engineArgs);
}
process.on('SIGTERM', endNow);
process.stdin.on('end', endNow);
process.stdin.on('error', endNow);
process.stdin.resume();
// The native call runs in its own thread; this keeps the event loop, and with it stdin, alive.
setInterval(() => undefined, 2 ** 30);
await run(plan, engineArgs);
