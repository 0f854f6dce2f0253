/**
 * Owns the memoized state of repeated runs. A request that runs an endpoint is prepared once, under a key derived from
 * its text; later runs only look up what may have changed: the key, the endpoint, the result.
 *
 * docs/architecture.md lists every memo on a run's path with its bound; `npm run bench -- ablation` shows what each
 * saves.
 */
import { LRUCache } from 'lru-cache';
import type { RunLimits } from '../access/effective-limits.ts';
import type { CachedResult } from '../cache/result-cache.ts';
import type { Selected } from '../endpoints/resolve-version.ts';
import type { Accepted, Rendering } from '../http/rendering.ts';
import { defineMemo } from '../lib/memo.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { ValueSource } from '../query/variables.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import {
  type CachedResponse,
  isCurrent,
  type ServedFromCache,
  toCachedResponse,
} from './respond-cached.ts';
import { choosePath, type PlannedFilters, planRequest, type RunPlans } from './run-plan.ts';
import { type ApiInterface, parseRunInput, type RunInput, type RunRequest } from './run-request.ts';
import type { RunResponse } from './run-response.ts';

export interface PreparedRuns {
  find(key: string): PreparedRequest | undefined;
  /** Prepares a run without storing it. */
  prepare(call: RunCall): PreparedRun;
  /** Prepares a run and stores it under a key. The call's input must not be changed afterwards. */
  store(key: string, call: RunCall, request: InterfaceRequest): PreparedRequest;
}

/** A run as an interface parsed it. */
export interface RunCall {
  /** As the caller wrote it: a number, or `@current`. */
  readonly projectId: string;
  readonly name: string;
  readonly input: RunInput;
  readonly valueSource: ValueSource;
  readonly via: ApiInterface;
  /** Set for a live result. */
  readonly isLive?: boolean;
}

/** What an interface needs to repeat a run. It may add its own members. */
export interface InterfaceRequest {
  /** The operation's name in metrics. */
  readonly operation: string;
  readonly render: Render;
}

export interface PreparedRequest {
  readonly run: PreparedRun;
  /** The request as stored. */
  readonly request: InterfaceRequest;
}

export type Render = (run: RunResponse, accepted: Accepted) => Rendering;

const maxPrepared = 7000;
/** Limit for the total length of all keys. */
const maxPreparedBytes = 16_777_216;
const storeMemo = defineMemo('prepared run');
const planMemo = defineMemo('plan');
const responseMemo = defineMemo('response');
const renderingMemo = defineMemo('rendering');

interface PreparedRunsDeps {
  readonly config: { readonly maxRows: number; readonly defaultCacheAgeSeconds: number };
  readonly metrics: ServiceMetrics;
  readonly usage: Pick<UsageRecorder, 'sharedResult'>;
}

export function openPreparedRuns(deps: PreparedRunsDeps): PreparedRuns {
  const stored = new LRUCache<string, PreparedRequest>({
    max: maxPrepared,
    maxSize: maxPreparedBytes,
    sizeCalculation: (_prepared, key) => key.length,
  });
  return {
    find: (key) => (storeMemo.isOn ? stored.get(key) : undefined),
    prepare: (call) => new PreparedRun(deps, call, false),
    store(key, call, request) {
      const run = new PreparedRun(deps, call, true);
      const prepared = { run, request };
      stored.set(key, prepared);
      return prepared;
    },
  };
}

/** One run as a caller wrote it, with everything derived from it. */
export class PreparedRun {
  readonly call: RunCall;
  readonly #deps: PreparedRunsDeps;
  readonly #isStored: boolean;
  #request: RunRequest | null = null;
  #plans: RunPlans | null = null;
  /** Weak, so that it does not retain a result evicted from the cache. */
  #responses: WeakMap<CachedResult, CachedResponse> | null = null;

  constructor(deps: PreparedRunsDeps, call: RunCall, isStored: boolean) {
    this.call = call;
    this.#deps = deps;
    this.#isStored = isStored;
  }

  /** Throws `invalid_input`. */
  get request(): RunRequest {
    this.#request ??= parseRunInput(this.call.input, this.#deps.config.maxRows);
    return this.#request;
  }

  /**
   * Throws for variables, values of filters and a path that the version does not support.
   *
   * @param filters of the request; null when it has none.
   */
  plan(selected: Selected, limits: RunLimits, now: Date, filters: PlannedFilters | null): RunPlans {
    const request = withinRows(this.request, limits);
    const last = this.#plans;
    if (
      last !== null &&
      last.version === selected.version &&
      last.dataRevision === selected.endpoint.dataRevision &&
      last.request.limit === request.limit &&
      last.path === choosePath(last.version, request, now) &&
      planMemo.isOn
    ) {
      return last;
    }
    const { valueSource } = this.call;
    const { defaultCacheAgeSeconds } = this.#deps.config;
    const given = { request, valueSource, filters, now, defaultCacheAgeSeconds };
    const plans = planRequest(selected, given);
    // Relative dates in filters depend on the day.
    if (request.filtersOverride === null && this.#isStored) this.#plans = plans;
    return plans;
  }

  /** The response for a fresh cached result. */
  response(served: ServedFromCache): CachedResponse {
    const { result, plans } = served;
    const last = this.#responses?.get(result);
    if (last !== undefined && isCurrent(last, served) && responseMemo.isOn) return last;
    const isShared = this.#isStored && !plans.request.debug;
    const response = toCachedResponse(this.#deps, { ...served, call: this.call }, isShared);
    if (!isShared) return response;
    this.#responses ??= new WeakMap();
    this.#responses.set(result, response);
    return response;
  }
}

/**
 * Lowers the run's limit to the maximum, which the response reports. The server's own maximum applies only to results
 * held in memory.
 */
function withinRows(request: RunRequest, { key, own }: RunLimits): RunRequest {
  const max = request.format === 'json' ? key.resultRows : own.resultRows;
  return max === undefined || request.limit <= max ? request : { ...request, limit: max };
}

/** Renders again only if this caller's headers differ from the last one's. */
export function renderingOf(run: RunResponse, accepted: Accepted, render: Render): Rendering {
  const { renderingSlot: slot } = run;
  if (slot === null) return render(run, accepted);
  const { last } = slot;
  const { acceptEncoding, ifNoneMatch } = accepted;
  if (
    last !== null &&
    last.acceptEncoding === acceptEncoding &&
    last.ifNoneMatch === ifNoneMatch &&
    renderingMemo.isOn
  ) {
    return last.rendering;
  }
  const rendering = render(run, accepted);
  slot.last = { acceptEncoding, ifNoneMatch, rendering };
  return rendering;
}
