/**
 * The service's health: this process's current state, and the last reports of the others. Each process writes one row
 * to the metadata database every few seconds, which the others read.
 */
import { hostname } from 'node:os';
import { type Principal, requireScope } from '../access/principal.ts';
import { isOutage } from '../errors/service-error.ts';
import { uuidv7 } from '../lib/ids.ts';
import { packageVersion } from '../lib/package-version.ts';
import { openRepeatedWork } from '../lib/repeated-work.ts';
import type { ProcessReport } from '../model/process-report.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { HealthStore, MissedByNode, SyncCounts } from '../store/health-store.ts';
import { type BackendCheck, openBackendProbe } from './probe-backends.ts';

export interface ListedProcess extends ProcessReport {
  readonly id: string;
  readonly seenAt: Date;
  /** Whether it is the process that responds to this request. */
  readonly isThis: boolean;
  /** It has not reported for so long that it may be gone. */
  readonly isSilent: boolean;
}

export interface HealthReport {
  readonly processes: readonly ListedProcess[];
  /** Why not all processes are listed, as a sentence; null when they are. */
  readonly incomplete: string | null;
  /** Null while the metadata database is unreachable. */
  readonly syncs: SyncCounts | null;
  /** Table changes that engine nodes have missed; null while the metadata database is unreachable. */
  readonly missedTables: readonly MissedByNode[] | null;
}

export interface Health {
  /** For administrators. Throws `permission_denied`. */
  read(principal: Principal): Promise<HealthReport>;
  /** Writes this process's report now. */
  report(): Promise<void>;
  start(): void;
  /** Removes this process's report. */
  stop(): Promise<void>;
}

export interface HealthSources {
  readonly core: RunDeps;
  readonly store: HealthStore;
  /** Checks of each backend, by name. */
  readonly checks: Readonly<Record<string, BackendCheck>>;
  readonly isDraining: () => boolean;
  readonly connections: () => number;
  readonly liveStreams: () => number;
}

const everyMs = 5000;
/** Several report intervals, so that a single late report means nothing. */
const silentMs = 20_000;
const forgottenMs = 600_000;

export function openHealth(sources: HealthSources): Health {
  const { core, store } = sources;
  const { clock, log } = core;
  const startedAt = clock.now();
  const id = uuidv7(startedAt);
  // Not the service's clock, which a test may freeze: backends take real time.
  const probe = openBackendProbe(clock, () => performance.now(), sources.checks);
  let writing: Promise<unknown> = Promise.resolve();
  let isStarted = false;
  let isStopped = false;
  const version = packageVersion();

  async function describe(): Promise<ProcessReport> {
    const backends = await probe.run();
    // After the probe, so that the probe is not counted among the queries.
    const engines = await core.engine.nodes();
    return {
      host: hostname(),
      pid: process.pid,
      version,
      startedAt: startedAt.toISOString(),
      isDraining: sources.isDraining(),
      memoryBytes: process.memoryUsage.rss(),
      connections: sources.connections(),
      liveStreams: sources.liveStreams(),
      queues: [...core.admission.pools()],
      cache: core.results.facts(),
      backends: [...backends],
      engines: [...engines],
      processorTimeProblem: core.loggedWork.problem(),
    };
  }

  async function report(): Promise<void> {
    const at = clock.now();
    const forgetBefore = new Date(at.getTime() - forgottenMs);
    const described = await describe();
    if (isStopped) return;
    writing = store.reportProcess({ id, at, report: described, forgetBefore });
    await writing;
  }

  const reports = openRepeatedWork({
    everyMs,
    turn: report,
    onFailure: (error) => log.debug({ err: error }, 'the health report could not be written'),
  });

  async function others(now: Date) {
    const seen = await store.listProcesses();
    const otherProcesses = seen.filter((found) => found.id !== id);
    return {
      unread: otherProcesses.filter((found) => found.report === null).length,
      listed: otherProcesses.flatMap(({ id: other, seenAt, report: lastReport }) => {
        if (lastReport === null) return [];
        const isSilent = now.getTime() - seenAt.getTime() > silentMs;
        return [{ ...lastReport, id: other, seenAt, isThis: false, isSilent }];
      }),
    };
  }

  return {
    async read(principal) {
      requireScope(principal, 'admin');
      const now = clock.now();
      const own = { ...(await describe()), id, seenAt: now, isThis: true, isSilent: false };
      try {
        const [{ listed, unread }, syncs, missedTables] = await Promise.all([
          others(now),
          store.countSyncs(now),
          store.listMissedTables(),
        ]);
        const incomplete = unread === 0 ? null : sentenceOf(unread);
        return { processes: [own, ...listed], incomplete, syncs, missedTables };
      } catch (error) {
        if (!isOutage(error)) throw error;
        const incomplete =
          'The metadata database, through which processes find each other, is not responding: only the process that served this request is listed.';
        return { processes: [own], incomplete, syncs: null, missedTables: null };
      }
    },
    report,
    start() {
      isStarted = true;
      reports.start();
    },
    async stop() {
      isStopped = true;
      // Not awaited, because a backend may be slow to respond; it only has to keep reports from being written after the
      // row is removed.
      void reports.stop();
      await writing.catch(() => undefined);
      if (isStarted) await store.forgetProcess(id).catch(() => undefined);
    },
  };
}

function sentenceOf(unread: number): string {
  return `${unread} more ${unread === 1 ? 'process is' : 'processes are'} running a version whose reports cannot be read.`;
}
