import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { RunInput } from '../../runs/run-request.ts';
import type { RunResponse } from '../../runs/run-response.ts';
import type { ServerContext } from '../trace.ts';
import type { FoundField } from './catalogue.ts';
import type { GraphDocument } from './documents.ts';
import type { PlannedRun } from './plan.ts';

/** The state of a data graph request while it is processed. */
export interface GraphRequest {
  readonly projectId: number;
  /** A run that was started before the document was read. */
  readonly started: StartedRun | null;
  /** Null until the document is read; an error when it cannot be read. */
  read: GraphDocument | Error | null;
  /** Set when the document is a single run and nothing else. */
  onlyRun: OnlyRun | null;
  /** Set if the response contains introspection, which is long and compresses well. */
  hasIntrospection: boolean;
}

export interface StartedRun {
  /** Shape of the field that it was started for. */
  readonly shapeId: string;
  readonly run: MaybePromise<RunResponse>;
}

export interface OnlyRun extends Pick<FoundField, 'endpoint' | 'version'> {
  readonly root: PlannedRun;
  readonly input: RunInput;
}

export interface GraphContext extends ServerContext {
  readonly graph: GraphRequest;
}
