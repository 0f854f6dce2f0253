/** The child of a killed service: it ends by itself, but on a busy machine that may take a while. */
import { readFileSync } from 'node:fs';
import { lchown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, markOf, ownMark, parseMark, userOf } from '../../lib/process-facts.ts';
import type { ChildUser } from './child-user.ts';

const FILE = 'child.json';
const EXIT_TIMEOUT_MS = 10_000;

/** Records which child uses the folder, and which process started it. */
export async function markChild(root: string, pid: number, user: ChildUser | null): Promise<void> {
  const file = join(root, FILE);
  const marks = JSON.stringify({ owner: ownMark(), child: markOf(pid, 'clickhouse') });
  // Recreated, so that no link placed there by the child's user is followed.
  await rm(file, { force: true });
  await writeFile(file, marks, { mode: 0o600, flag: 'wx' });
  if (user !== null) await lchown(file, user.uid, user.gid);
}

/** Kills the child of an earlier, ended service process and waits for its end. */
export async function endPredecessor(root: string, user: ChildUser | null): Promise<void> {
  const { owner, child } = readMarks(join(root, FILE));
  if (owner === null || child === null || isRunning(owner)) return;
  // That user can write this file, so it must never cause another user's process to be killed.
  const uid = user?.uid ?? process.getuid?.();
  const isOurs = () => child.began !== null && isRunning(child) && userOf(child.pid) === uid;
  const deadline = performance.now() + EXIT_TIMEOUT_MS;
  while (isOurs() && performance.now() < deadline) {
    process.kill(child.pid, 'SIGKILL');
    await delay(10);
  }
}

function readMarks(file: string) {
  try {
    const { owner, child } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    return { owner: parseMark(owner), child: parseMark(child) };
  } catch {
    return { owner: null, child: null };
  }
}
