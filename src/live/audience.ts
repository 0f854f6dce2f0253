/** A live result: executed once per change for all of its subscribers. */
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { endpointKey } from '../cache/lookups.ts';
import type { ServiceError } from '../errors/service-error.ts';
import { toServiceError } from '../errors/service-error.ts';
import { addToCount } from '../lib/add-to-count.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { okOutcome } from '../model/usage.ts';
import { countHandedOut } from '../runs/count-usage.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { PreparedRun, RunCall } from '../runs/prepared-runs.ts';
import { runEndpoint } from '../runs/run-endpoint.ts';
import { contentTagOf, type RunContent } from './content.ts';
import { isPassing } from './ending.ts';
import type { Holding } from './held-bytes.ts';
import { Listeners } from './listeners.ts';
import type { RefreshQueue } from './refresh-queue.ts';
import type { FirstReader, Follower, Source, SourceListener } from './source.ts';

export interface AudienceOptions {
  readonly projectId: number;
  readonly call: RunCall;
  readonly queue: RefreshQueue;
  /** Memory accounting of its newest content. */
  readonly holding: Holding;
  /** Called when its last subscriber has left, or when it has ended. */
  readonly onClose: () => void;
}

export function openAudience(deps: RunDeps, options: AudienceOptions): Source<RunContent> {
  return new RunAudience(deps, options);
}

/** A failed refresh is retried after 1, 2, 4 … seconds, at most this many. */
const maxBackoffSeconds = 60;

/** A class, because its state is changed from several places. */
class RunAudience implements Source<RunContent> {
  readonly projectId: number;
  readonly name: string;
  readonly #deps: RunDeps;
  readonly #options: AudienceOptions;
  readonly #followers = new Set<Follower>();
  readonly #listeners = new Listeners<RunContent>();
  /** Number of followers per requested interval, in seconds. */
  readonly #intervals = new Map<number, number>();
  readonly #leaving = new AbortController();
  readonly #run: PreparedRun;
  readonly #forced: PreparedRun;
  /** Runs are numbered when they begin, so that an earlier one never replaces a later one's content. */
  #newest: RunContent | null = null;
  #begun = 0;
  #taken = 0;
  #isRefreshing = false;
  #isDirty = false;
  /** Whether the next refresh must not read the cached result. */
  #isForced = false;
  #isClosed = false;
  #expiring: Promise<void> | null = null;
  #failures = 0;
  /** Times of the monotonic clock, as all below. */
  #checkedAt = 0;
  #cachedUntil = 0;
  #dueAt = Number.POSITIVE_INFINITY;

  constructor(deps: RunDeps, options: AudienceOptions) {
    const { call } = options;
    this.projectId = options.projectId;
    this.name = call.name;
    this.#deps = deps;
    this.#options = options;
    this.#run = deps.preparedRuns.prepare({ ...call, isLive: true });
    const input = { ...call.input, refresh: call.input.refresh ?? 'force' } as const;
    this.#forced = deps.preparedRuns.prepare({ ...call, input, isLive: true });
  }

  newest(): RunContent | null {
    return this.#newest;
  }

  ready({ principal, signal, has }: FirstReader): MaybePromise<void> {
    if (has !== null && has !== this.#newest?.tag)
      return this.#expireLookups().then(() => this.#compute(principal, { signal }));
    if (this.#newest === null || this.#failures > 0) return this.#compute(principal, { signal });
    requireScope(principal, 'endpoint:read');
    requireProject(principal, this.#run.call.projectId);
    this.#handOut(principal, this.#newest);
  }

  /** Counts content served from memory as a run of the reader, too. */
  #handOut(principal: Principal, { run }: RunContent): void {
    const { projectId } = this;
    const { keyId } = principal;
    try {
      this.#deps.rates.takeNow(principal, projectId);
    } catch (error) {
      const { code: outcome } = toServiceError(error);
      countHandedOut(this.#deps, run, { projectId, keyId, outcome });
      throw error;
    }
    countHandedOut(this.#deps, run, { projectId, keyId, outcome: okOutcome });
  }

  /**
   * Another process may have announced a change to the reader before the change feed delivered it here, and the reader
   * must not get older content. Readers that arrive together share the reload.
   */
  #expireLookups(): Promise<void> {
    this.#expiring ??= new Promise<void>((turn) => setImmediate(turn)).then(() => {
      this.#expiring = null;
      const { lookups } = this.#deps;
      const { input } = this.#options.call;
      lookups.endpoints.expire(endpointKey(this.projectId, this.name));
      if ((input.version ?? null) !== null) lookups.versions.expire();
    });
    return this.#expiring;
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    this.#countInterval(follower, 1);
    return () => {
      if (!this.#followers.delete(follower)) return;
      this.#countInterval(follower, -1);
      if (this.#followers.size === 0) this.#close();
    };
  }

  listen(listener: SourceListener<RunContent>): () => void {
    return this.#listeners.add(listener);
  }

  refresh(): void {
    void this.#refresh(false);
  }

  tick(nowMs: number): void {
    if (nowMs < this.#dueAt) return;
    this.#dueAt = Number.POSITIVE_INFINITY;
    void this.#refresh(this.#interval() !== null);
  }

  /** Runs one at a time; a change during a run causes another one. Never rejects. */
  async #refresh(isForced: boolean): Promise<void> {
    this.#isDirty = true;
    this.#isForced ||= isForced;
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    while (this.#isDirty && this.#followers.size > 0)
      await this.#options.queue.run(this.projectId, () => this.#refreshOnce());
    this.#isRefreshing = false;
  }

  async #refreshOnce(): Promise<void> {
    const isForced = this.#isForced;
    this.#isDirty = false;
    this.#isForced = false;
    const { signal } = this.#leaving;
    try {
      await this.#computeInTurn({ signal, isForced });
    } catch (error) {
      if (!signal.aborted) this.#fail(toServiceError(error));
    }
  }

  /**
   * Followers take turns, so that no key pays for all. One whose key has used up its requests is passed over, so that it
   * does not keep the others waiting; if all have, throws the refusal that ends first.
   */
  async #computeInTurn(how: { signal: AbortSignal; isForced: boolean }): Promise<void> {
    const passedOver = new Set<string>();
    let refusal: ServiceError | null = null;
    for (;;) {
      const principal = this.#nextPrincipal(passedOver);
      if (principal === null) break;
      try {
        await this.#compute(principal, how);
        return;
      } catch (error) {
        const failure = toServiceError(error);
        if (failure.code !== 'throttled') throw error;
        passedOver.add(principal.keyId);
        refusal = soonest(refusal, failure);
      }
    }
    if (refusal !== null) throw refusal;
  }

  /** @param passedOver ids of keys. */
  #nextPrincipal(passedOver: ReadonlySet<string>): Principal | null {
    for (const next of this.#followers) {
      const principal = next.principal();
      if (passedOver.has(principal.keyId)) continue;
      this.#followers.delete(next);
      this.#followers.add(next);
      return principal;
    }
    return null;
  }

  async #compute(
    principal: Principal,
    { signal, isForced = false }: { signal: AbortSignal | undefined; isForced?: boolean },
  ): Promise<void> {
    this.#begun += 1;
    const number = this.#begun;
    const run = isForced ? this.#forced : this.#run;
    const response = await runEndpoint(this.#deps, principal, { run, caller: { signal } });
    this.#take({ run: response, tag: contentTagOf(response) }, number);
  }

  #take(content: RunContent, number: number): void {
    if (number < this.#taken) return;
    this.#options.holding.hold(this.#isClosed ? 0 : content.run.rows.length);
    this.#taken = number;
    const isRecovered = this.#failures > 0;
    this.#failures = 0;
    this.#listeners.hearSuccess();
    this.#checkedAt = this.#deps.nowMs();
    const cachedMs = content.run.cacheTargetAge.getTime() - this.#deps.clock.now().getTime();
    this.#cachedUntil = this.#checkedAt + cachedMs;
    const isNew = this.#newest?.tag !== content.tag;
    this.#newest = content;
    this.#plan();
    if (isNew || isRecovered) this.#listeners.hearContent(content);
  }

  #fail(error: ServiceError): void {
    if (!isPassing(error)) {
      this.#listeners.hearEnd(error);
      this.#close();
      return;
    }
    this.#failures += 1;
    const backoff = Math.min(maxBackoffSeconds, 2 ** (this.#failures - 1));
    const seconds = Math.max(error.retryAfterSeconds ?? 0, backoff);
    this.#dueAt = this.#deps.nowMs() + seconds * 1000;
    this.#listeners.hearFailure(error);
  }

  /** Schedules the next refresh without a known change. */
  #plan(): void {
    if (this.#newest === null || this.#failures > 0) return;
    const interval = this.#interval();
    const earliest = this.#checkedAt + this.#deps.config.minLiveIntervalSeconds * 1000;
    this.#dueAt =
      interval === null ? Math.max(earliest, this.#cachedUntil) : this.#checkedAt + interval * 1000;
  }

  /** The shortest interval that a follower requested. */
  #interval(): number | null {
    return this.#intervals.size === 0 ? null : Math.min(...this.#intervals.keys());
  }

  #countInterval({ intervalSeconds }: Follower, by: number): void {
    if (intervalSeconds === null) return;
    addToCount(this.#intervals, intervalSeconds, by);
    this.#plan();
  }

  #close(): void {
    this.#isClosed = true;
    this.#options.holding.hold(0);
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#leaving.abort(new DOMException('The result has no subscribers left.', 'AbortError'));
    this.#options.onClose();
  }
}

function soonest(a: ServiceError | null, b: ServiceError): ServiceError {
  return a === null || (b.retryAfterSeconds ?? 0) < (a.retryAfterSeconds ?? 0) ? b : a;
}
