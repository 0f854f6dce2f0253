import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors/service-error.ts';
import { openFairQueue, type SlotRequest } from './fair-queue.ts';
import { openQueueMeter, type QueueMeter, queueWaitMs, waitShares } from './queue-wait.ts';

/** Bounds how many runs of one kind are at the engine and how many wait, and decides which is next. */
export interface Pool {
  /**
   * Resolves when the run may go to the engine; call `release` of the result when it is done. Throws
   * `too_many_concurrent_queries` or `query_capacity`, or the signal's reason when the caller goes away.
   */
  enter(request: PoolRequest, signal: AbortSignal | undefined): Promise<Admitted>;
  running(): number;
  waiting(): number;
}

interface PoolRequest extends SlotRequest {
  /** Maximum waiting runs of the project, and of the key within it. */
  readonly projectQueue: number;
  readonly keyQueue: number;
}

interface Admitted {
  /** Whether the project holds no more than its share of the engine while another project is also using it. */
  readonly isBelowShare: boolean;
  readonly waitedMs: number;
  readonly release: () => void;
}

export type ShedReason = 'queue_full' | 'overload' | 'deadline';

export interface PoolOptions {
  readonly slots: number;
  /** Maximum waiting runs over all projects. */
  readonly queue: number;
  readonly deadlineMs: number;
  readonly cores: number;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  readonly onShed: (projectId: number, reason: ShedReason) => void;
}

interface QueuedRun extends PoolRequest {
  readonly since: number;
  readonly leave: (error: () => unknown) => void;
  readonly admit: (admitted: Admitted) => void;
  readonly refuse: (error: unknown) => void;
}

/** Maximum number of projects whose recent service times are kept. */
const maxMeters = 1000;

export function openPool(options: PoolOptions): Pool {
  const { slots, nowMs } = options;
  const queue = openFairQueue<QueuedRun>(slots);
  const whole = openQueueMeter();
  const refusals = new LRUCache<number, number>({ max: maxMeters });
  const meters = new LRUCache<number, QueueMeter>({ max: maxMeters });

  function meterOf(projectId: number): QueueMeter {
    const meter = meters.get(projectId) ?? openQueueMeter();
    meters.set(projectId, meter);
    return meter;
  }

  function noteQueue(projectId: number): void {
    whole.note(queue.waiting(), nowMs());
    const { waiting } = queue.project(projectId);
    meterOf(projectId).note(waiting, nowMs());
    if (waiting === 0) refusals.delete(projectId);
  }

  function begin(request: PoolRequest, waitedMs: number): Admitted {
    const active = queue.activeProjects();
    const fairShare = Math.max(1, Math.floor(options.cores / active));
    const began = nowMs();
    return {
      isBelowShare: active > 1 && queue.project(request.projectId).running <= fairShare,
      waitedMs,
      release() {
        const tookMs = nowMs() - began;
        whole.served(tookMs);
        meterOf(request.projectId).served(tookMs);
        queue.release(request);
        serveNext();
      },
    };
  }

  function serveNext(): void {
    for (let next = queue.takeNext(); next !== null; next = queue.takeNext()) {
      noteQueue(next.projectId);
      next.admit(begin(next, nowMs() - next.since));
    }
  }

  /** Estimated seconds until as many runs as are waiting now have been served. */
  function retryAfter(projectId: number): number {
    const { serviceMs } = meterOf(projectId).facts(nowMs());
    const { running, waiting } = queue.project(projectId);
    const ms = ((waiting + 1) * serviceMs) / Math.max(1, running);
    return Math.min(60, Math.max(1, Math.ceil(ms / 1000)));
  }

  function shed(request: PoolRequest, reason: ShedReason): ServiceError {
    options.onShed(request.projectId, reason);
    const retryAfterSeconds = retryAfter(request.projectId);
    const { running, waiting } = queue.project(request.projectId);
    const isOwnLimit =
      running >= request.projectSlots ||
      waiting >= request.projectQueue ||
      queue.waitingOfKey(request.projectId, request.keyId) >= request.keyQueue;
    if (isOwnLimit) {
      return new ServiceError(
        'too_many_concurrent_queries',
        `This project has reached its limit of concurrent queries, and ${waiting === 0 ? 'no queries may wait' : 'too many are waiting'}. Try again in ${retryAfterSeconds} s.`,
        { retryAfterSeconds },
      );
    }
    return new ServiceError(
      'query_capacity',
      `The engine is busy with queries of all projects. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }

  function whyNotWait(request: PoolRequest): ShedReason | null {
    const { running, waiting } = queue.project(request.projectId);
    if (waiting >= request.projectQueue || queue.waiting() >= options.queue) return 'queue_full';
    if (queue.waitingOfKey(request.projectId, request.keyId) >= request.keyQueue)
      return 'queue_full';
    const { deadlineMs } = options;
    const own = meterOf(request.projectId).facts(nowMs());
    const ownWaitMs = ((waiting + 1) * own.serviceMs) / Math.max(1, running);
    if (ownWaitMs > queueWaitMs({ ...own, deadlineMs }, waitShares.ofOwn)) return 'overload';
    const all = whole.facts(nowMs());
    // Each project with queued runs gets a slot before any gets a second one.
    const turnMs = (queue.activeProjects() * all.serviceMs) / slots;
    return turnMs > queueWaitMs({ ...all, deadlineMs }, waitShares.ofAll) ? 'overload' : null;
  }

  /**
   * Load shedding. More refusals than waiting runs mean overload, not a burst. Queued runs that have waited longer than
   * a new one may wait are refused too; otherwise every accepted run would be that late for as long as the overload
   * lasts.
   */
  function shedLate({ projectId }: PoolRequest): void {
    const refused = (refusals.get(projectId) ?? 0) + 1;
    refusals.set(projectId, refused);
    const meter = meterOf(projectId);
    meter.refused();
    if (refused <= queue.project(projectId).waiting) return;
    meter.overloaded(nowMs());
    const { deadlineMs } = options;
    const maxMs = queueWaitMs({ ...meter.facts(nowMs()), deadlineMs }, waitShares.ofOwn);
    for (const late of queue.queuedOf(projectId)) {
      if (nowMs() - late.since > maxMs) late.leave(() => shed(late, 'overload'));
    }
  }

  function wait(request: PoolRequest, signal: AbortSignal | undefined): Promise<Admitted> {
    return new Promise((resolve, reject) => {
      const leave = (error: () => unknown) => {
        if (!queue.remove(run)) return;
        noteQueue(request.projectId);
        run.refuse(error());
      };
      const onGone = () => leave(() => signal?.reason);
      const timer = setTimeout(
        () => leave(() => shed(request, 'deadline')),
        options.deadlineMs,
      ).unref();
      const settle = <T>(done: (value: T) => void) => {
        return (value: T) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onGone);
          done(value);
        };
      };
      const run: QueuedRun = {
        ...request,
        since: nowMs(),
        leave,
        admit: settle(resolve),
        refuse: settle(reject),
      };
      signal?.addEventListener('abort', onGone, { once: true });
      queue.add(run);
      noteQueue(request.projectId);
    });
  }

  return {
    async enter(request, signal) {
      signal?.throwIfAborted();
      if (queue.takeFree(request)) return begin(request, 0);
      const reason = whyNotWait(request);
      if (reason === 'overload') shedLate(request);
      if (reason !== null) throw shed(request, reason);
      return wait(request, signal);
    },
    running: () => queue.running(),
    waiting: () => queue.waiting(),
  };
}
