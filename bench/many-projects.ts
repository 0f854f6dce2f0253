import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../src/config/config.ts';
import { openLog } from '../src/config/open-log.ts';
import { openEmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts';
import { type Figure, figure } from './figure.ts';

const rounds = 3;
const projects = 3000;

/** How much longer the local engine takes to start when it has users for thousands of projects. */
export async function measureManyProjects(): Promise<readonly Figure[]> {
  const one: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    one.push(await startSeconds(1));
    many.push(await startSeconds(projects));
  }
  const beyond = many.map((seconds, round) => seconds - (one[round] ?? 0));
  return [
    figure('start of the local engine with 1 project', 's', { samples: one }),
    figure(`start of the local engine with ${projects} projects`, 's', { samples: many }),
    figure(`${projects} projects beyond 1`, 's', { samples: beyond, target: { atMost: 5 } }),
  ];
}

async function startSeconds(highestProjectId: number): Promise<number> {
  const dir = await mkdtemp(path.join(tmpdir(), 'querydock-projects-'));
  const startedAt = performance.now();
  const log = openLog('silent');
  const options = { dir, config: readConfig({}), log, secret: 'of the bench', highestProjectId };
  const engine = await openEmbeddedEngine(options);
  const seconds = (performance.now() - startedAt) / 1000;
  await engine.stop();
  await rm(dir, { recursive: true, force: true });
  return seconds;
}
