/** Ends a child that runs and does not answer: only then can it be started again. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../lib/log.ts';
import { answersPing, type EngineProcess } from './engine-process.ts';

const everyMs = 2000;
const patienceMs = 5000;
/** A machine that was asleep or is very busy misses one or two. */
const missesAllowed = 2;

/** Returns when the child is gone. Keeps no process alive. */
export async function watchEngine(engine: EngineProcess, port: number, log: Log): Promise<void> {
  for (let misses = 0; !engine.hasExited(); ) {
    await Promise.race([engine.exited, delay(everyMs, undefined, { ref: false })]);
    if (engine.hasExited()) return;
    misses = (await answersPing(port, patienceMs)) ? 0 : misses + 1;
    if (misses <= missesAllowed || engine.hasExited()) continue;
    log.error('the local engine does not answer; ending it');
    engine.kill();
    return;
  }
}
