/** The query behind requests to the engine, carried by async context instead of parameters. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '../errors/service-error.ts';

export interface ExecutionOrigin {
  readonly projectId: number;
  /** The query as its author wrote it. */
  readonly text: string;
  /** Null for an unsaved text. */
  readonly version: OriginVersion | null;
}

export interface OriginVersion {
  readonly id: string;
  readonly endpointName: string;
  readonly number: number;
}

/** A query that overran its time limit and could not be killed. Its origin is refused in this process. */
export interface Overrun {
  readonly queryId: string;
  readonly projectId: number;
  /** Null when it ran without an origin. */
  readonly origin: ExecutionOrigin | null;
}

/** A query overran its time limit and could not be stopped. It is refused from then on. */
export class OverrunError extends ServiceError {
  constructor() {
    super(
      'query_timeout',
      'This query exceeded its time limit and could not be stopped. It is refused until it is changed: read fewer rows, or remove its slow expressions.',
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
