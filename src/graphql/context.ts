import { authenticate } from '../core/auth/authenticate.ts';
import type { CoreDeps } from '../core/deps.ts';
import type { Door } from '../core/run/execute.ts';
import type { Principal } from '../domain/principal.ts';
import type { ValueForm } from '../domain/variables.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { type Loaders, openLoaders } from './loaders.ts';
import type { RawResults } from './raw-json.ts';

/** What every resolver is given: one for each request, whichever door it came through. */
export interface GatewayContext {
  readonly deps: CoreDeps;
  readonly prisma: PrismaClient;
  /** Scheme, host and port that callers reach the service by; no slash at its end. */
  readonly publicUrl: string;
  readonly door: Door;
  /** How the variables of a run reached us. */
  readonly valueForm: ValueForm;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal | undefined;
  readonly loaders: Loaders;
  /** Where result bytes wait until the response is written; see raw-json.ts. */
  readonly rawResults: RawResults;
  /** Who calls. Throws `not_authenticated` or `authentication_failed`; asked once for each request. */
  readonly principal: () => Promise<Principal>;
}

export interface GatewayDeps {
  readonly core: CoreDeps;
  readonly prisma: PrismaClient;
  readonly publicUrl: () => string;
}

export function createContext(
  gateway: GatewayDeps,
  request: {
    readonly door: Door;
    readonly authorization: string | null;
    readonly signal?: AbortSignal | undefined;
    readonly rawResults?: RawResults;
  },
): GatewayContext {
  let principal: Promise<Principal> | undefined;
  return {
    deps: gateway.core,
    prisma: gateway.prisma,
    publicUrl: gateway.publicUrl(),
    door: request.door,
    valueForm: 'json',
    signal: request.signal,
    loaders: openLoaders(gateway.prisma),
    rawResults: request.rawResults ?? [],
    principal: () => {
      principal ??= authenticate(gateway.core, request.authorization);
      return principal;
    },
  };
}
