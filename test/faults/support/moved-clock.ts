/**
 * Loaded before a service: its clock, and nothing else of it, is off by the milliseconds that a file holds, read anew
 * at each SIGUSR2. Timers go on as they are, as they do when a machine's clock is set.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
let offset = 0;

function moved(): number {
  return RealDate.now() + offset;
}

class MovedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    // @ts-expect-error a Date takes what Date takes
    super(...(given.length === 0 ? [moved()] : given));
  }

  static override now(): number {
    return moved();
  }
}

globalThis.Date = MovedDate as DateConstructor;
process.on('SIGUSR2', () => {
  offset = Number(readFileSync(process.env.MOVED_CLOCK_FILE ?? '', 'utf8'));
});
