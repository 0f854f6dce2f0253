import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/**
 * A terminal sends Ctrl-C to npm and to this process, and npm forwards its own, so that one keypress arrives twice. A
 * signal within this time of the first is the same keypress.
 */
const samePressMs = 500;

export interface StopSignal {
  /** Aborted by the first SIGINT or SIGTERM, or when the process that launched this one is gone. */
  readonly signal: AbortSignal;
  /** Resolves at the same time. */
  readonly requested: Promise<void>;
  /** The shell's exit status for the received signal; 0 before any. */
  exitCode(): number;
  /** Restores Node's own handling of signals. */
  release(): void;
}

const parentCheckMs = 500;

/**
 * Calls back when the npm that started this process is gone; does nothing for a process that npm did not start.
 *
 * npm keeps a shell between itself and its command. That shell dies of a SIGTERM without forwarding it, and survives
 * when npm is killed; either way this process would be left behind.
 */
function watchNpm(onGone: () => void): () => void {
  if (process.env.npm_command === undefined) return () => undefined;
  const ancestors = () => `${process.ppid} ${parentOf(process.ppid)}`;
  const initial = ancestors();
  const timer = setInterval(() => {
    if (ancestors() !== initial) onGone();
  }, parentCheckMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Null where the system does not report it. Source: proc(5), the second field after the name in parentheses. */
function parentOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? null;
  } catch {
    return null;
  }
}

/** From here on a first signal requests the stop; a second one ends the process at once. */
export function openStopSignal(): StopSignal {
  const controller = new AbortController();
  const requested = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  let requestedAt = 0;
  let exitCode = 0;
  const onSignal = (name: 'SIGINT' | 'SIGTERM') => {
    if (!controller.signal.aborted) {
      requestedAt = performance.now();
      exitCode = 128 + constants.signals[name];
      controller.abort();
    } else if (performance.now() - requestedAt > samePressMs) {
      process.exit(128 + constants.signals[name]);
    }
  };
  const onOrphaned = () => controller.abort();
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  if (process.connected) process.once('disconnect', onOrphaned);
  const unwatch = watchNpm(onOrphaned);
  return {
    signal: controller.signal,
    requested,
    exitCode: () => exitCode,
    release() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.off('disconnect', onOrphaned);
      unwatch();
    },
  };
}
