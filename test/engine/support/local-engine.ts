import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, readConfig } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import {
  type EmbeddedEngine,
  openEmbeddedEngine,
} from '../../../src/engine/embedded/embedded-engine.ts';

export const secret = 'a secret of the tests';
export const log = openLog('silent');

/** Small limits, so that a test reaches them soon. */
export const config: Config = {
  ...readConfig({}),
  queryTimeoutSeconds: 4,
  streamTimeoutSeconds: 4,
  queryMemoryBytes: 268_435_456,
  maxResultBytes: 4_194_304,
  maxConcurrentQueries: 3,
};

export interface LocalEngine {
  readonly engine: EmbeddedEngine;
  readonly dir: string;
  /** Stops the child and removes its folder. */
  close(): Promise<void>;
}

export async function startLocalEngine(
  overrides: { readonly highestProjectId?: number; readonly limits?: Partial<Config> } = {},
): Promise<LocalEngine> {
  const dir = await mkdtemp(join(tmpdir(), 'querydock-engine-'));
  const engine = await openEmbeddedEngine({
    dir,
    config: { ...config, ...overrides.limits },
    log,
    secret,
    highestProjectId: overrides.highestProjectId ?? 0,
  });
  return {
    engine,
    dir,
    close: async () => {
      await engine.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
