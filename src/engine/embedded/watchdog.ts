/** Kills a child that runs but does not respond, so that it is restarted. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../lib/log.ts';
import { type EngineProcess, respondsToPing } from './engine-process.ts';

const INTERVAL_MS = 2000;
const PING_TIMEOUT_MS = 5000;
/** A machine that was asleep or is very busy misses one or two pings. */
const MAX_MISSES = 2;

/** Returns when the child has ended. Its timer does not keep the process alive. */
export async function watchEngine(engine: EngineProcess, port: number, log: Log): Promise<void> {
  for (let misses = 0; !engine.hasExited(); ) {
    await Promise.race([engine.exited, delay(INTERVAL_MS, undefined, { ref: false })]);
    if (engine.hasExited()) return;
    misses = (await respondsToPing(port, PING_TIMEOUT_MS)) ? 0 : misses + 1;
    if (misses <= MAX_MISSES || engine.hasExited()) continue;
    log.error('the local engine does not respond; ending it');
    engine.kill();
    return;
  }
}
