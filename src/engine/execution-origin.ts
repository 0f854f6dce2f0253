/** The query behind requests to the engine, passed to them by async context instead of by parameters. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '../errors/service-error.ts';

export interface ExecutionOrigin {
  readonly projectId: number;
  /** The query as its author wrote it. */
  readonly text: string;
  /** Null for a text that is not saved yet. */
  readonly version: OriginVersion | null;
}

export interface OriginVersion {
  readonly id: string;
  readonly endpointName: string;
  readonly number: number;
}

/** A query overran its time limit and could not be stopped. It is refused from then on. */
export class OverrunError extends ServiceError {
  constructor() {
    super(
      'query_timeout',
      'This query ran past its time and could not be stopped. It is refused until it is changed: read fewer rows, or leave out what takes so long.',
    );
  }
}

const origins = new AsyncLocalStorage<ExecutionOrigin>();

/** All requests to the engine during `work` get this origin. */
export function withOrigin<T>(origin: ExecutionOrigin, work: () => T): T {
  return origins.run(origin, work);
}

export function currentOrigin(): ExecutionOrigin | null {
  return origins.getStore() ?? null;
}
