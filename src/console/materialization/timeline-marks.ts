/** Positions of syncs on a timeline. Pure. */

export interface TimelineSync {
  readonly id: string;
  readonly outcome: string;
  readonly startedAt: string;
  readonly durationSeconds: number;
}

interface TimelineMark<Sync> {
  readonly id: string;
  /** Position of its centre, in percent of the timeline's width. */
  readonly left: number;
  /** Percent of the timeline's height. */
  readonly height: number;
  readonly outcome: string;
  /** ISO 8601. */
  readonly at: string;
  /** Null for the one that is due. */
  readonly sync: Sync | null;
}

export interface Timeline<Sync> {
  readonly marks: readonly TimelineMark<Sync>[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Seconds. */
  readonly longest: number;
}

/** The timeline begins with the first sync and ends with the due one, or now. */
export function timelineMarks<Sync extends TimelineSync>(
  history: readonly Sync[],
  nextSyncAt: string | null,
  nowMs: number,
): Timeline<Sync> {
  const starts = history.map(({ startedAt }) => Date.parse(startedAt));
  const fromMs = Math.min(...starts, nowMs);
  const dueMs = nextSyncAt === null ? nowMs : Date.parse(nextSyncAt);
  const toMs = Math.max(dueMs, nowMs, ...starts);
  const longest = Math.max(...history.map(({ durationSeconds }) => durationSeconds), 0.001);
  const place = (ms: number) => (toMs === fromMs ? 50 : ((ms - fromMs) / (toMs - fromMs)) * 100);
  const done = history.map((sync) => ({
    id: sync.id,
    left: place(Date.parse(sync.startedAt)),
    height: (sync.durationSeconds / longest) * 100,
    outcome: sync.outcome,
    at: sync.startedAt,
    sync,
  }));
  const due = { id: 'due', left: place(dueMs), height: 100, outcome: 'due', sync: null };
  return {
    marks: nextSyncAt === null ? done : [...done, { ...due, at: nextSyncAt }],
    fromMs,
    toMs,
    longest,
  };
}
