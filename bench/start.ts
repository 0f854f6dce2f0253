import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { removeFolder, startDemo } from './demo-server.ts';
import { median, spread, verdict } from './figures.ts';

const rounds = 3;
const firstTarget = 20;
const laterTarget = 4;

/** How long a newcomer waits: the first start loads three million rows, a later one finds them. */
export async function measureStart(): Promise<readonly string[]> {
  const first: number[] = [];
  const later: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-bench-'));
    const fresh = await startDemo(dir);
    first.push(fresh.readySeconds);
    await fresh.stop();
    const again = await startDemo(dir);
    later.push(again.readySeconds);
    await again.stop();
    await removeFolder(dir);
  }
  return [
    `first start  ${spread(first, 2)} s, target ${firstTarget} s: ${verdict(median(first) <= firstTarget)}`,
    `later start  ${spread(later, 2)} s, target ${laterTarget} s: ${verdict(median(later) <= laterTarget)}`,
  ];
}
