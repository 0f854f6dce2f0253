import type { EndpointMetrics } from '../metrics/endpoint-metrics.ts';
import { type LateWork, okOutcome, type UsageOf } from '../model/usage.ts';
import { type ResultSize, Tally, UsageCell } from './usage-cell.ts';

/** Counts of this process that are not written yet. */
export interface UsageBook {
  cell(of: UsageOf): UsageCell;
  /** Counts runs of the same result by any key, for the hot path. */
  sharedResult(of: Omit<UsageOf, 'keyId' | 'outcome'>, size: ResultSize): SharedResultUsage;
  /** Adds a late value to the minute that it belongs to. */
  addLateWork(of: UsageOf, atMs: number, work: LateWork): void;
  /** Takes the oldest tallies, at most `count`; nothing is added to them any more. */
  take(count: number): readonly Tally[];
  /** Number of waiting tallies. */
  waiting(): number;
  /** Drops everything beyond `max`, the oldest first. Returns the number of runs. */
  drop(max: number): number;
}

/** Maximum cells kept for reuse; an evicted one is opened again, and both are written. */
const maxCells = 20_000;

/** @param onOpen called with the number of waiting tallies when one is added. */
export function openUsageBook(
  onOpen: (waiting: number) => void,
  metrics: EndpointMetrics | null,
): UsageBook {
  const cells = new Map<string, UsageCell>();
  let tallies: Tally[] = [];

  const open = (tally: Tally): void => {
    tallies.push(tally);
    onOpen(tallies.length);
  };

  function cell(of: UsageOf): UsageCell {
    const key = keyOf(of);
    const known = cells.get(key);
    if (known !== undefined) return known;
    if (cells.size >= maxCells) cells.clear();
    const opened = new UsageCell(of, key, { open, metrics });
    cells.set(key, opened);
    return opened;
  }

  /**
   * Uses a separate tally: its minute's tally may already be written, and the cell's current one belongs to a later
   * minute.
   */
  function addLateWork(of: UsageOf, atMs: number, { processorMicros, read }: LateWork): void {
    const late = new Tally({ of, key: keyOf(of) }, atMs);
    late.sums.measuredExecutions = 1;
    late.sums.processorMicros = processorMicros;
    if (read !== null) late.addRead(read);
    open(late);
  }

  function take(count: number): readonly Tally[] {
    const taken = tallies.slice(0, count);
    tallies = tallies.slice(count);
    for (const tally of taken) tally.untilMs = Number.NEGATIVE_INFINITY;
    return taken;
  }

  return {
    cell,
    sharedResult: (of, size) => new SharedResultUsage(cell, of, size),
    addLateWork,
    take,
    waiting: () => tallies.length,
    drop: (max) =>
      tallies.length <= max
        ? 0
        : take(tallies.length - max).reduce((runs, { sums }) => runs + sums.runs, 0),
  };
}

function keyOf(of: UsageOf): string {
  return `${of.projectId}/${of.endpointId}/${of.version}/${of.keyId}/${of.interface}/${of.path}/${of.outcome}`;
}

/** Runs served from one result, by key. */
export class SharedResultUsage {
  readonly #find: (of: UsageOf) => UsageCell;
  readonly #of: Omit<UsageOf, 'keyId' | 'outcome'>;
  readonly #size: ResultSize;
  #lastKey = '';
  #last: UsageCell | null = null;

  constructor(
    find: (of: UsageOf) => UsageCell,
    of: Omit<UsageOf, 'keyId' | 'outcome'>,
    size: ResultSize,
  ) {
    this.#find = find;
    this.#of = of;
    this.#size = size;
  }

  /** @param ms duration of the run. */
  addRun(keyId: string, atMs: number, ms: number): void {
    if (this.#last === null || this.#lastKey !== keyId) {
      this.#last = this.#find({ ...this.#of, keyId, outcome: okOutcome });
      this.#lastKey = keyId;
    }
    this.#last.addRun(atMs, ms, this.#size);
  }
}
