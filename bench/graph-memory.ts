/** Memory of many data graphs in one process: each is asked once, by a generator of clients. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { type Figure, figure } from './figure.ts';

export const manyGraphs = 1_000;
export const endpointsOfEach = 100;

/** What the process of `graph-memory-process.ts` prints, in MB. */
export interface GraphMemory {
  /** Resident, at the end. */
  readonly resident: number;
  /** Of the heap and of buffers, beyond those at the beginning: of all graphs together. */
  readonly grown: number;
}

export async function measureGraphMemory(): Promise<readonly Figure[]> {
  const { resident, grown } = await runProcess();
  const name = `${manyGraphs.toLocaleString('en')} graphs of ${endpointsOfEach} endpoints`;
  return [
    figure(name, 'MB of the process', { samples: [resident], target: { atMost: 512 } }),
    figure(name, 'kB kept for each', { samples: [(1024 * grown) / manyGraphs] }),
  ];
}

function runProcess(): Promise<GraphMemory> {
  const script = path.join(import.meta.dirname, 'graph-memory-process.ts');
  const child = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(printed) as GraphMemory);
      else reject(new Error(`the process ended with ${code}`));
    });
  });
}
