/**
 * How the service is: this process as it is now, the others as they have told last. Each writes one row to the metadata
 * database every few seconds, by which they know of each other.
 */
import { hostname } from 'node:os';
import { type Principal, requireScope } from '../access/principal.ts';
import { toServiceError } from '../errors/service-error.ts';
import { uuidv7 } from '../lib/ids.ts';
import { packageVersion } from '../lib/package-version.ts';
import { openRepeatedWork } from '../lib/repeated-work.ts';
import type { ProcessReport } from '../model/process-report.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { HealthStore, SyncCounts } from '../store/health-store.ts';
import { type BackendCheck, openBackendProbe } from './probe-backends.ts';

export interface ListedProcess extends ProcessReport {
  readonly id: string;
  readonly seenAt: Date;
  /** Whether it answered this request. */
  readonly isThis: boolean;
  /** It has not told anything for so long that it may be gone. */
  readonly isSilent: boolean;
}

export interface HealthReport {
  readonly processes: readonly ListedProcess[];
  /** Why not all processes are listed, as a sentence; null: they are. */
  readonly incomplete: string | null;
  /** Null while the metadata database is away. */
  readonly syncs: SyncCounts | null;
}

export interface Health {
  /** For administrators. Throws `permission_denied`. */
  read(principal: Principal): Promise<HealthReport>;
  /** Tells the others, now. */
  report(): Promise<void>;
  start(): void;
  /** The others hear that this process is gone. */
  stop(): Promise<void>;
}

export interface HealthSources {
  readonly core: RunDeps;
  readonly store: HealthStore;
  /** What asks each backend, by its name. */
  readonly checks: Readonly<Record<string, BackendCheck>>;
  readonly isDraining: () => boolean;
  readonly connections: () => number;
  readonly liveStreams: () => number;
}

const everyMs = 5000;
/** Several reports, so that one that is late means nothing. */
const silentMs = 20_000;
const forgottenMs = 600_000;

export function openHealth(sources: HealthSources): Health {
  const { core, store } = sources;
  const { clock, log } = core;
  const startedAt = clock.now();
  const id = uuidv7(startedAt);
  // Not the clock of the service, which a test holds still: it is real time that a backend takes.
  const probe = openBackendProbe(clock, () => performance.now(), sources.checks);
  let writing: Promise<unknown> = Promise.resolve();
  let isStarted = false;
  let isStopped = false;
  const version = packageVersion();

  async function describe(): Promise<ProcessReport> {
    const backends = await probe.run();
    // Afterwards, so that the probe is not among the queries.
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
      processorTimeProblem: core.processorTime.problem(),
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
    onFailure: (error) => log.debug({ err: error }, 'the health was not told'),
  });

  async function others(now: Date) {
    const seen = await store.listProcesses();
    const told = seen.filter((found) => found.id !== id);
    return {
      unread: told.filter((found) => found.report === null).length,
      listed: told.flatMap(({ id: other, seenAt, report: said }) => {
        if (said === null) return [];
        const isSilent = now.getTime() - seenAt.getTime() > silentMs;
        return [{ ...said, id: other, seenAt, isThis: false, isSilent }];
      }),
    };
  }

  return {
    async read(principal) {
      requireScope(principal, 'admin');
      const now = clock.now();
      const own = { ...(await describe()), id, seenAt: now, isThis: true, isSilent: false };
      try {
        const [{ listed, unread }, syncs] = await Promise.all([others(now), store.countSyncs(now)]);
        const incomplete = unread === 0 ? null : sentenceOf(unread);
        return { processes: [own, ...listed], incomplete, syncs };
      } catch (error) {
        if (toServiceError(error).code !== 'service_unavailable') throw error;
        const incomplete =
          'The metadata database does not answer, by which the processes know of each other: only the one that answered is shown.';
        return { processes: [own], incomplete, syncs: null };
      }
    },
    report,
    start() {
      isStarted = true;
      reports.start();
    },
    async stop() {
      isStopped = true;
      // Not for a backend that takes its time to answer; only so that nothing is written after it is forgotten.
      void reports.stop();
      await writing.catch(() => undefined);
      if (isStarted) await store.forgetProcess(id).catch(() => undefined);
    },
  };
}

function sentenceOf(unread: number): string {
  return `${unread} more ${unread === 1 ? 'process is' : 'processes are'} of a version that tells less of itself.`;
}
