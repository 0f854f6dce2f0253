import type { GraphQLParams } from 'graphql-yoga';
import type { RequestText } from '../http/request-text.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { RunResponse } from '../runs/run-response.ts';
import type { Executed } from './prepare-run.ts';
import type { RawResults } from './raw-json.ts';

/** A request of GraphQL over HTTP, as its door takes it. */
export interface GraphQLRequest extends RequestText {
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
  /** Null when there is no socket. */
  readonly remoteAddress: string | null;
}

/** What is noted of one request on its way. */
export interface Trace {
  /** As they were sent. */
  params: GraphQLParams | null;
  executed: Executed | null;
  /** Whether the document ran to its end without an error. */
  isOk: boolean;
}

export interface ServerContext {
  readonly rawResults: RawResults;
  readonly trace: Trace;
  readonly asked: GraphQLRequest;
  /** The run that the document asks for, where it has been started already. */
  readonly given: MaybePromise<RunResponse> | undefined;
}
