/** A way to the run's engine that a test can close, so that the engine is out for one service alone. */
import { inject } from 'vitest';
import { openRelay, type Relay } from './relay.ts';

export interface EngineRelay {
  readonly clickhouseUrl: string;
  /** Does something while the engine cannot be reached. */
  outage<T>(work: () => Promise<T>): Promise<T>;
  /** Does something while every connection breaks off that carries a statement with this text. */
  breakingAt<T>(text: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** @param clickhouseUrl where it leads; the run's engine when absent. */
export async function openEngineRelay(
  clickhouseUrl: string = inject('engine').clickhouseUrl,
): Promise<EngineRelay> {
  let fatal: string | null = null;
  let broken = 0;
  const relay: Relay = await openRelay(clickhouseUrl, (chunk) => {
    const isFatal = fatal !== null && chunk.includes(fatal);
    if (isFatal) broken += 1;
    return isFatal;
  });
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
    async breakingAt(text, work) {
      [fatal, broken] = [text, 0];
      try {
        const done = await work();
        if (broken === 0) throw new Error(`nobody sent ${text}`);
        return done;
      } finally {
        fatal = null;
      }
    },
    close: () => relay.close(),
  };
}
