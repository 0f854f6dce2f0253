import type { GraphQLParams } from 'graphql-yoga';
import type { RequestText } from '../http/message.ts';
import type { Span } from '../tracing/span.ts';
import type { GatewayContext } from './context.ts';
import type { Executed } from './prepare-run.ts';
import type { RawResults } from './raw-json.ts';

/** A GraphQL request over HTTP. */
export interface GraphQLRequest extends RequestText {
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
  /** Null when there is no socket. */
  readonly remoteAddress: string | null;
}

/** What is recorded while a request is executed. */
export interface Trace {
  /** As sent. */
  params: GraphQLParams | null;
  executed: Executed | null;
  /** Whether the document ran to its end without an error. */
  isOk: boolean;
  /** That of the operation, where its run was started before the document is executed; null once the execution has it. */
  span: Span | null;
}

export interface ServerContext {
  readonly rawResults: RawResults;
  readonly trace: Trace;
  /** Of the resolvers. */
  readonly gateway: GatewayContext;
}
