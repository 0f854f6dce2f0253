import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line of one request carries. */
export interface RequestScope {
  readonly requestId: string;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Runs the work so that everything it logs carries the request's id. */
export function withRequestScope<T>(scope: RequestScope, work: () => T): T {
  return scopes.run(scope, work);
}

/** Empty outside of a request. */
export function currentRequestScope(): Partial<RequestScope> {
  return scopes.getStore() ?? {};
}
