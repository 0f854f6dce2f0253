/** The child of a service that was killed: it is on its way out, but on a busy machine that may take a while. */
import { readFileSync } from 'node:fs';
import { lchown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, markOf, ownMark, parseMark, userOf } from '../../lib/process-facts.ts';
import type { ChildUser } from './child-user.ts';

const FILE = 'child.json';
const PATIENCE_MS = 10_000;

/** Says which child has the folder, and whose child it is. */
export async function markChild(root: string, pid: number, user: ChildUser | null): Promise<void> {
  const file = join(root, FILE);
  const marks = JSON.stringify({ owner: ownMark(), child: markOf(pid, 'clickhouse') });
  // Made anew, so that no link is followed that the child's user put there.
  await rm(file, { force: true });
  await writeFile(file, marks, { mode: 0o600, flag: 'wx' });
  if (user !== null) await lchown(file, user.uid, user.gid);
}

/** Ends the child of an earlier owner that is gone, and waits until it is gone, too. */
export async function endPredecessor(root: string, user: ChildUser | null): Promise<void> {
  const { owner, child } = readMarks(join(root, FILE));
  if (owner === null || child === null || isRunning(owner)) return;
  // That user may write here, so nobody else's process is ended on the word of this file.
  const uid = user?.uid ?? process.getuid?.();
  const isOurs = () => child.began !== null && isRunning(child) && userOf(child.pid) === uid;
  const deadline = performance.now() + PATIENCE_MS;
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
