import type { GatewayContext } from '../graphql/context.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Scope } from '../model/scope.ts';
import type { RunResponse } from '../runs/run-response.ts';
import type { DocumentName } from './documents.ts';
import type { PathParams } from './match-route.ts';
import type { WireSpec } from './wire-input.ts';

/** What a row is given: the path's parameters and the input, read by the row's own spec. */
export interface RouteCall {
  readonly params: PathParams;
  /** In camelCase; a body wins over the query string. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: GatewayContext;
  /** As the caller asked for it. */
  readonly url: () => URL;
  readonly run: (
    name: DocumentName,
    variables: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** Runs the endpoint of the path by the input. */
  readonly runEndpoint: () => MaybePromise<RunResponse>;
}

export type RouteResult =
  | { readonly kind: 'json'; readonly body: unknown }
  | { readonly kind: 'empty' }
  | { readonly kind: 'run'; readonly run: RunResponse };

/** One operation of the documented surface. Adding one adds a row, a document and its tests. */
export interface Route {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the project's prefix. */
  readonly path: string;
  readonly scope: Scope;
  readonly status: 200 | 201 | 204;
  readonly query: WireSpec;
  readonly body: WireSpec | null;
  readonly takesVariables?: boolean;
  readonly answer: (call: RouteCall) => MaybePromise<RouteResult>;
}
