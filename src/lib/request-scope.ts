import { AsyncLocalStorage } from 'node:async_hooks';

/** The request that work is done for. */
export interface RequestScope {
  readonly requestId: string;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Runs the work so that everything it logs carries the request's id. */
export function withRequestScope<T>(scope: RequestScope, work: () => T): T {
  return scopes.run(scope, work);
}

/** Null outside of a request. */
export function currentRequestScope(): RequestScope | null {
  return scopes.getStore() ?? null;
}
