import { authenticate } from '../access/authenticate.ts';
import type { Principal } from '../access/principal.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Health } from '../health/health.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Live } from '../live/live.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { ApiInterface } from '../runs/run-request.ts';
import { type Loaders, openLoaders } from './loaders.ts';
import type { RawResults } from './raw-json.ts';
import { openRequestRuns, type RequestRuns } from './request-runs.ts';

/** The context of every resolver: one per request, in both interfaces. */
export interface GatewayContext {
  readonly deps: RunDeps;
  readonly prisma: PrismaClient;
  /** Scheme, host and port of the service for its callers; no trailing slash. */
  readonly publicUrl: string;
  readonly via: ApiInterface;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal | undefined;
  readonly health: Health;
  readonly loaders: Loaders;
  /** The result bytes to splice into the response; see raw-json.ts. */
  readonly rawResults: RawResults;
  readonly runs: RequestRuns;
  /** The caller's principal, authenticated once per request. Throws `not_authenticated` or `authentication_failed`. */
  readonly principal: () => MaybePromise<Principal>;
}

export interface GatewayDeps {
  readonly core: RunDeps;
  readonly prisma: PrismaClient;
  readonly publicUrl: () => string;
  readonly live: Live;
  readonly health: Health;
}

/** The caller, and the interface of the request. */
export interface Caller {
  readonly via: ApiInterface;
  readonly authorization: string | null;
  /** Aborted when the caller disconnects. Read only if something has to be awaited. */
  readonly source: {
    readonly signal: AbortSignal | undefined;
  };
  /** Null or absent when there is no socket. */
  readonly remoteAddress?: string | null;
  readonly rawResults?: RawResults;
  /** Absent for the limit in the settings. */
  readonly runs?: RequestRuns;
}

export function createContext(gateway: GatewayDeps, caller: Caller): GatewayContext {
  return new RequestContext(gateway, caller);
}

/**
 * Expensive, rarely used members are created on first read. A class, because getters in an object literal give every
 * object its own hidden class, which costs more than the rest of a cached run.
 */
class RequestContext implements GatewayContext {
  readonly deps: RunDeps;
  readonly prisma: PrismaClient;
  readonly via: ApiInterface;
  readonly health: Health;
  readonly rawResults: RawResults;
  readonly #gateway: GatewayDeps;
  readonly #caller: Caller;
  #runs: RequestRuns | undefined = undefined;
  #principal: MaybePromise<Principal> | undefined = undefined;
  #loaders: Loaders | undefined = undefined;

  readonly principal = (): MaybePromise<Principal> => {
    const { via, authorization, remoteAddress: address = null } = this.#caller;
    this.#principal ??= authenticate(this.deps, authorization, { via, address });
    return this.#principal;
  };

  constructor(gateway: GatewayDeps, caller: Caller) {
    this.deps = gateway.core;
    this.prisma = gateway.prisma;
    this.via = caller.via;
    this.health = gateway.health;
    this.rawResults = caller.rawResults ?? [];
    this.#gateway = gateway;
    this.#caller = caller;
  }

  get publicUrl(): string {
    return this.#gateway.publicUrl();
  }

  get signal(): AbortSignal | undefined {
    return this.#caller.source.signal;
  }

  get runs(): RequestRuns {
    this.#runs ??= this.#caller.runs ?? openRequestRuns(this.deps.config.maxQueryRuns);
    return this.#runs;
  }

  get loaders(): Loaders {
    this.#loaders ??= openLoaders(this.prisma);
    return this.#loaders;
  }
}

/** The same as a plain object, for libraries that copy the context's own members. */
export function toPlainContext(context: GatewayContext): GatewayContext {
  const { deps, prisma, publicUrl, via, signal, health } = context;
  const { loaders, rawResults, runs, principal } = context;
  return {
    deps,
    prisma,
    publicUrl,
    via,
    signal,
    health,
    loaders,
    rawResults,
    runs,
    principal,
  };
}
