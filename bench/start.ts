import { startDemo, withFolder } from './demo-server.ts';
import { type Figure, figure } from './figure.ts';

const rounds = 3;

/** How long a newcomer waits: the first start loads three million rows, later ones find them. */
export async function measureStart(): Promise<readonly Figure[]> {
  const first: number[] = [];
  const later: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await withFolder(async (dir) => {
      const fresh = await startDemo(dir);
      first.push(fresh.readySeconds);
      await fresh.stop();
      const again = await startDemo(dir);
      later.push(again.readySeconds);
      await again.stop();
    });
  }
  return [
    figure('first start of the demo', 's', { samples: first, target: { atMost: 20 } }),
    figure('later start of the demo', 's', { samples: later, target: { atMost: 4 } }),
  ];
}
