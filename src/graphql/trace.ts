import type { GraphQLParams } from 'graphql-yoga';
import type { RequestText } from '../http/message.ts';
import type { Span } from '../tracing/span.ts';
import type { GatewayContext } from './context.ts';
import type { Executed } from './prepare-run.ts';
import type { RawResults } from './raw-json.ts';

/** A GraphQL request over HTTP. */
export interface GraphQLRequest extends RequestText {
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Null when there is no socket. */
  readonly remoteAddress: string | null;
}

/** Recorded while a request is executed. */
export interface Trace {
  /** As sent. */
  params: GraphQLParams | null;
  executed: Executed | null;
  /** Whether the document completed without an error. */
  isOk: boolean;
  /** The operation's span if its run was started before the document is executed; null once the execution owns it. */
  span: Span | null;
}

export interface ServerContext {
  readonly rawResults: RawResults;
  readonly trace: Trace;
  /** Context of the resolvers. */
  readonly gateway: GatewayContext;
}
