import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors/service-error.ts';
import { type Asked, openFairQueue } from './fair-queue.ts';
import { openQueueMeter, patience, type QueueMeter, queueWaitMs } from './queue-wait.ts';

/** Runs of one kind: so many at the engine at once, so many waiting, and who is next. */
export interface Pool {
  /**
   * Resolves when the run may go to the engine; call what it answers once it is done. Throws
   * `too_many_concurrent_queries` or `query_capacity`, or the signal's reason when the caller goes away.
   */
  enter(asked: RunAsked, signal: AbortSignal | undefined): Promise<Entered>;
  running(): number;
  waiting(): number;
}

export interface RunAsked extends Asked {
  /** Runs of the project, and of the key within it, that may wait. */
  readonly projectQueue: number;
  readonly keyQueue: number;
}

export interface Entered {
  /** Whether the project has no more than its share of the engine, while another wants some, too. */
  readonly isBelowShare: boolean;
  readonly waitedMs: number;
  readonly release: () => void;
}

export type ShedReason = 'queue_full' | 'overload' | 'deadline';

export interface PoolOptions {
  readonly slots: number;
  /** Runs of all projects that may wait. */
  readonly queue: number;
  readonly deadlineMs: number;
  readonly cores: number;
  /** Milliseconds that only grow. */
  readonly nowMs: () => number;
  readonly onShed: (projectId: number, reason: ShedReason) => void;
}

interface Waiter extends RunAsked {
  readonly since: number;
  readonly leave: (error: () => unknown) => void;
  readonly goOn: (entered: Entered) => void;
  readonly giveUp: (error: unknown) => void;
}

/** Of how many projects it is remembered what their queries take. */
const rememberedProjects = 1000;

export function openPool(options: PoolOptions): Pool {
  const { slots: places, nowMs } = options;
  const line = openFairQueue<Waiter>(places);
  const whole = openQueueMeter();
  const refusals = new LRUCache<number, number>({ max: rememberedProjects });
  const meters = new LRUCache<number, QueueMeter>({ max: rememberedProjects });

  function meterOf(projectId: number): QueueMeter {
    const known = meters.get(projectId) ?? openQueueMeter();
    meters.set(projectId, known);
    return known;
  }

  function noteQueue(projectId: number): void {
    whole.note(line.waiting(), nowMs());
    const { waiting } = line.project(projectId);
    meterOf(projectId).note(waiting, nowMs());
    if (waiting === 0) refusals.delete(projectId);
  }

  function begin(asked: RunAsked, waitedMs: number): Entered {
    const active = line.activeProjects();
    const fairShare = Math.max(1, Math.floor(options.cores / active));
    const began = nowMs();
    return {
      isBelowShare: active > 1 && line.project(asked.projectId).running <= fairShare,
      waitedMs,
      release() {
        const tookMs = nowMs() - began;
        whole.served(tookMs);
        meterOf(asked.projectId).served(tookMs);
        line.release(asked);
        serveNext();
      },
    };
  }

  function serveNext(): void {
    for (let next = line.takeNext(); next !== null; next = line.takeNext()) {
      noteQueue(next.projectId);
      next.goOn(begin(next, nowMs() - next.since));
    }
  }

  /** Seconds until about as many runs as wait now have been served. */
  function retryAfter(projectId: number): number {
    const { serviceMs } = meterOf(projectId).facts(nowMs());
    const { running, waiting } = line.project(projectId);
    const ms = ((waiting + 1) * serviceMs) / Math.max(1, running);
    return Math.min(60, Math.max(1, Math.ceil(ms / 1000)));
  }

  function shed(asked: RunAsked, reason: ShedReason): ServiceError {
    options.onShed(asked.projectId, reason);
    const retryAfterSeconds = retryAfter(asked.projectId);
    const { running, waiting } = line.project(asked.projectId);
    const isOwnLimit =
      running >= asked.projectPlaces ||
      waiting >= asked.projectQueue ||
      line.waitingOfKey(asked.projectId, asked.keyId) >= asked.keyQueue;
    if (isOwnLimit) {
      return new ServiceError(
        'too_many_concurrent_queries',
        `This project already runs as many queries at once as it may, and ${waiting === 0 ? 'none may wait' : 'more wait than are served soon'}. Try again in ${retryAfterSeconds} s.`,
        { retryAfterSeconds },
      );
    }
    return new ServiceError(
      'query_capacity',
      `The engine is busy with queries of all projects. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }

  function whyNotWait(asked: RunAsked): ShedReason | null {
    const { running, waiting } = line.project(asked.projectId);
    if (waiting >= asked.projectQueue || line.waiting() >= options.queue) return 'queue_full';
    if (line.waitingOfKey(asked.projectId, asked.keyId) >= asked.keyQueue) return 'queue_full';
    const { deadlineMs } = options;
    const own = meterOf(asked.projectId).facts(nowMs());
    const ownWaitMs = ((waiting + 1) * own.serviceMs) / Math.max(1, running);
    if (ownWaitMs > queueWaitMs({ ...own, deadlineMs }, patience.ofOwn)) return 'overload';
    const all = whole.facts(nowMs());
    // Each project in line gets a place before any gets another.
    const turnMs = (line.activeProjects() * all.serviceMs) / places;
    return turnMs > queueWaitMs({ ...all, deadlineMs }, patience.ofAll) ? 'overload' : null;
  }

  /**
   * More were refused than wait: no burst that is being served, but overload. Who has waited for longer than is
   * patience now is sent away, too, or all who are accepted would be as late for as long as it lasts.
   */
  function sendLateAway({ projectId }: RunAsked): void {
    const refused = (refusals.get(projectId) ?? 0) + 1;
    refusals.set(projectId, refused);
    const meter = meterOf(projectId);
    meter.refused();
    if (refused <= line.project(projectId).waiting) return;
    meter.overloaded(nowMs());
    const { deadlineMs } = options;
    const mostMs = queueWaitMs({ ...meter.facts(nowMs()), deadlineMs }, patience.ofOwn);
    for (const waiter of line.waitersOf(projectId)) {
      if (nowMs() - waiter.since > mostMs) waiter.leave(() => shed(waiter, 'overload'));
    }
  }

  function wait(asked: RunAsked, signal: AbortSignal | undefined): Promise<Entered> {
    return new Promise((resolve, reject) => {
      const leave = (error: () => unknown) => {
        if (!line.remove(waiter)) return;
        noteQueue(asked.projectId);
        waiter.giveUp(error());
      };
      const onGone = () => leave(() => signal?.reason);
      const timer = setTimeout(
        () => leave(() => shed(asked, 'deadline')),
        options.deadlineMs,
      ).unref();
      const settle = <T>(done: (value: T) => void) => {
        return (value: T) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onGone);
          done(value);
        };
      };
      const waiter: Waiter = {
        ...asked,
        since: nowMs(),
        leave,
        goOn: settle(resolve),
        giveUp: settle(reject),
      };
      signal?.addEventListener('abort', onGone, { once: true });
      line.add(waiter);
      noteQueue(asked.projectId);
    });
  }

  return {
    async enter(asked, signal) {
      signal?.throwIfAborted();
      if (line.takeFree(asked)) return begin(asked, 0);
      const reason = whyNotWait(asked);
      if (reason === 'overload') sendLateAway(asked);
      if (reason !== null) throw shed(asked, reason);
      return wait(asked, signal);
    },
    running: () => line.running(),
    waiting: () => line.waiting(),
  };
}
