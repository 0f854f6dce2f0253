import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line of one request carries. */
export interface RequestScope {
  readonly requestId: string;
}

interface Holder {
  scope: RequestScope;
}

const holders = new AsyncLocalStorage<Holder>();

/** Runs the work so that whatever it logs names the request. */
export function withRequestScope<T>(scope: RequestScope, work: () => T): T {
  return holders.run({ scope }, work);
}

/** Empty outside of a request. */
export function currentRequestScope(): Partial<RequestScope> {
  return holders.getStore()?.scope ?? {};
}

/**
 * Where requests are answered that come one after the other, as those of a connection do. Going back to a place costs
 * a part of what making one does, and most requests are over before they have to wait.
 */
export class ScopePlace {
  #holder: Holder | null = null;
  #enter: <T>(work: () => T) => T = (work) => work();

  /** As `withRequestScope`. */
  run<T>(scope: RequestScope, work: () => T): T {
    const holder = this.#holder ?? this.#open(scope);
    holder.scope = scope;
    const result = this.#enter(work);
    // What goes on keeps its place, and the next request gets another.
    if (result instanceof Promise) this.#holder = null;
    return result;
  }

  #open(scope: RequestScope): Holder {
    const holder = { scope };
    this.#holder = holder;
    this.#enter = holders.run(holder, () => AsyncLocalStorage.snapshot());
    return holder;
  }
}
