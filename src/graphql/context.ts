import { authenticate } from '../access/authenticate.ts';
import type { Principal } from '../access/principal.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { ValueSource } from '../query/variables.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { ApiInterface } from '../runs/execute.ts';
import type { RunResponse } from '../runs/run-response.ts';
import { type Loaders, openLoaders } from './loaders.ts';
import type { RawResults } from './raw-json.ts';
import { openRunAllowance, type RunAllowance } from './request-runs.ts';

/** What every resolver is given: one for each request, whichever door it came through. */
export interface GatewayContext {
  readonly deps: RunDeps;
  readonly prisma: PrismaClient;
  /** Scheme, host and port that callers reach the service by; no slash at its end. */
  readonly publicUrl: string;
  readonly via: ApiInterface;
  /** How the variables of a run reached us. */
  readonly valueSource: ValueSource;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal | undefined;
  readonly loaders: Loaders;
  /** Where result bytes wait until the response is written; see raw-json.ts. */
  readonly rawResults: RawResults;
  readonly runs: RunAllowance;
  /** The run that the document asks for, where its door has started it already. */
  readonly given?: MaybePromise<RunResponse>;
  /** Who calls. Throws `not_authenticated` or `authentication_failed`; asked once for each request. */
  readonly principal: () => MaybePromise<Principal>;
}

export interface GatewayDeps {
  readonly core: RunDeps;
  readonly prisma: PrismaClient;
  readonly publicUrl: () => string;
}

/** Who asks, and through which door. */
export interface Caller {
  readonly via: ApiInterface;
  readonly authorization: string | null;
  /** Aborted when the caller goes away; read when something has to be waited for. */
  readonly source: {
    readonly signal: AbortSignal | undefined;
  };
  /** Null, or absent: there is no socket. */
  readonly remoteAddress?: string | null;
  readonly rawResults?: RawResults;
}

/** A context whose door says later how variables came: it lets nobody in before it reads what they sent. */
export interface OpenContext extends GatewayContext {
  valueSource: ValueSource;
}

export function createContext(gateway: GatewayDeps, caller: Caller): OpenContext {
  return new RequestContext(gateway, caller);
}

/**
 * What is costly and often not asked for is made when it is. A class, since getters in an object literal give every
 * object a hidden class of its own, which costs more than all the rest of a request from the cache.
 */
class RequestContext implements OpenContext {
  readonly deps: RunDeps;
  readonly prisma: PrismaClient;
  readonly via: ApiInterface;
  readonly rawResults: RawResults;
  readonly runs: RunAllowance;
  valueSource: ValueSource = 'json';
  readonly #gateway: GatewayDeps;
  readonly #caller: Caller;
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
    this.rawResults = caller.rawResults ?? [];
    this.runs = openRunAllowance(gateway.core.config.maxQueryRuns);
    this.#gateway = gateway;
    this.#caller = caller;
  }

  get publicUrl(): string {
    return this.#gateway.publicUrl();
  }

  get signal(): AbortSignal | undefined {
    return this.#caller.source.signal;
  }

  get loaders(): Loaders {
    this.#loaders ??= openLoaders(this.prisma);
    return this.#loaders;
  }
}

/** The same with members of its own, for libraries that copy what they are given. */
export function toPlainContext(context: GatewayContext): GatewayContext {
  const { deps, prisma, publicUrl, via, valueSource, signal } = context;
  const { loaders, rawResults, runs, principal } = context;
  return {
    deps,
    prisma,
    publicUrl,
    via,
    valueSource,
    signal,
    loaders,
    rawResults,
    runs,
    principal,
  };
}
