import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, figure, percentile } from './figure.ts';
import { type TwoProjects, withTwoProjects } from './two-projects.ts';

const rounds = 3;
const samples = 150;
const heavyCallers = 12;

/** Latency of a project's small queries while another project saturates the engine, compared with the same runs alone. */
export function measureFairness(): Promise<readonly Figure[]> {
  return withTwoProjects(async (projects) => {
    await projects.heavy.save(
      'heavy',
      'SELECT sum(cityHash64(number, {n:UInt32})) AS n FROM numbers(400000000)',
    );
    await projects.light.save(
      'light',
      'SELECT kind, count() AS n, sum(amount) AS total FROM events WHERE id >= {from:UInt64} GROUP BY kind',
    );
    await sample(projects);
    return compare(projects);
  });
}

async function compare(projects: TwoProjects): Promise<readonly Figure[]> {
  const ratios: number[] = [];
  const idle: number[] = [];
  const loaded: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = percentile(await sample(projects), 95);
    const stop = saturate(projects);
    await delay(1000);
    const beside = percentile(await sample(projects), 95);
    await stop();
    idle.push(alone);
    loaded.push(beside);
    ratios.push(beside / alone);
  }
  return [
    figure('p95 of small runs alone', 'ms', { samples: idle }),
    figure(`p95 beside ${heavyCallers} callers of heavy queries`, 'ms', { samples: loaded }),
    figure('p95 beside heavy queries', 'times the p95 alone', {
      samples: ratios,
      target: { atMost: 3 },
    }),
  ];
}

async function sample({ light }: TwoProjects): Promise<readonly number[]> {
  const times: number[] = [];
  for (let at = 0; at < samples; at += 1) {
    const { status, ms } = await light.run('light', { from: at * 1000 });
    if (status !== 200) throw new Error(`the small query returned ${status}`);
    times.push(ms);
    await delay(5);
  }
  return times;
}

let number = 0;

function saturate({ heavy }: TwoProjects): () => Promise<void> {
  let isOn = true;
  const callers = Array.from({ length: heavyCallers }, async () => {
    while (isOn) {
      number += 1;
      const { status, retryAfter } = await heavy.run('heavy', { n: number });
      if (status !== 200) await delay(100 * Number(retryAfter ?? 1));
    }
  });
  return async () => {
    isOn = false;
    await Promise.all(callers);
  };
}
