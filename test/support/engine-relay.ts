/** A way to the run's engine that a test can close, so that the engine is out for one service alone. */
import { inject } from 'vitest';
import { openRelay, type Relay } from './relay.ts';

export interface EngineRelay {
  readonly clickhouseUrl: string;
  /** Does something while the engine cannot be reached. */
  outage<T>(work: () => Promise<T>): Promise<T>;
  /** Does something while every connection breaks off that carries a statement with this text. */
  breakingAt<T>(text: string, work: () => Promise<T>): Promise<T>;
  /** The same where it depends on the service whether one comes this way: tells whether one did. */
  cuttingAt<T>(text: string, work: () => Promise<T>): Promise<Cut<T>>;
  /** As `cuttingAt`, and from then on nothing else comes through until the work is done. */
  losingAt<T>(text: string, work: () => Promise<T>): Promise<Cut<T>>;
  close(): Promise<void>;
}

interface Cut<T> {
  readonly done: T;
  /** Whether a connection was broken off. */
  readonly isBroken: boolean;
}

/** @param clickhouseUrl where it leads; the run's engine when absent. */
export async function openEngineRelay(
  clickhouseUrl: string = inject('engine').clickhouseUrl,
): Promise<EngineRelay> {
  let fatal: string | null = null;
  let broken = 0;
  let isLosing = false;
  let closing: Promise<void> | null = null;
  const relay: Relay = await openRelay(clickhouseUrl, (chunk) => {
    const isFatal = fatal !== null && chunk.includes(fatal);
    if (isFatal) broken += 1;
    if (isFatal && isLosing) closing ??= relay.close();
    return isFatal;
  });
  await relay.listen();
  const url = new URL(clickhouseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(relay.port);
  async function cutAt<T>(text: string, work: () => Promise<T>): Promise<Cut<T>> {
    [fatal, broken] = [text, 0];
    try {
      return { done: await work(), isBroken: broken > 0 };
    } finally {
      fatal = null;
    }
  }
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
      const { done, isBroken } = await cutAt(text, work);
      if (!isBroken) throw new Error(`nobody sent ${text}`);
      return done;
    },
    cuttingAt: cutAt,
    async losingAt(text, work) {
      isLosing = true;
      try {
        return await cutAt(text, work);
      } finally {
        isLosing = false;
        await closing;
        if (closing !== null) await relay.listen();
        closing = null;
      }
    },
    close: () => relay.close(),
  };
}
