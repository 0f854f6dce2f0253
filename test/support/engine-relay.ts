/** A way to the run's engine that a test can close, so that the engine is out for one service alone. */
import { inject } from 'vitest';
import { openRelay, type Relay } from './relay.ts';

export interface EngineRelay {
  readonly clickhouseUrl: string;
  /** Does something while the engine cannot be reached. */
  outage<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function openEngineRelay(): Promise<EngineRelay> {
  const { clickhouseUrl } = inject('engine');
  const relay: Relay = await openRelay(clickhouseUrl);
  await relay.listen();
  const url = new URL(clickhouseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(relay.port);
  return {
    clickhouseUrl: url.href,
    async outage(work) {
      await relay.close();
      try {
        return await work();
      } finally {
        await relay.listen();
      }
    },
    close: () => relay.close(),
  };
}
