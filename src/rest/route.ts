import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { DocumentedOperation } from '../openapi/operation.ts';
import type { ValueSource } from '../query/variables.ts';
import type { RunInput } from '../runs/run-request.ts';
import type { RunResponse } from '../runs/run-response.ts';
import type { LoadedRows, LoadRows } from '../tables/load-rows.ts';
import type { PathParams } from './match-route.ts';
import type { JsonResult } from './render-json.ts';
import type { TextResult } from './render-text.ts';

/** One request of an operation, with its parsed path parameters and inputs. */
export interface RouteCall {
  readonly params: PathParams;
  /** Keys in camelCase; the body overrides the query string. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether variables came as JSON, or as query string texts. */
  readonly valueSource: ValueSource;
  /** The id of the path's project. Throws as `requireProject` does. */
  readonly projectId: () => number;
  /** The URL as the caller requested it. */
  readonly url: () => URL;
  /** The revisions in `If-Match`; null when there is none. Throws `invalid_input`. */
  readonly ifMatch: () => readonly string[] | null;
  /** Executes one of the operation's documents. */
  readonly run: (
    document: string,
    variables: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** Runs the path's endpoint with the input. */
  readonly runEndpoint: () => MaybePromise<RunResponse>;
  /** Runs an unsaved query. */
  readonly runQuery: (unsaved: {
    readonly query: unknown;
    readonly input: RunInput;
  }) => MaybePromise<RunResponse>;
  /** The data graph schema of the path's project; null for all fields. */
  readonly readSchemaText: (fields: readonly string[] | null) => Promise<TextResult>;
  /** Loads the body into the path's table. */
  readonly loadRows: (
    given: Pick<LoadRows, 'format' | 'mode' | 'force' | 'options'>,
  ) => Promise<LoadedRows>;
}

export type RouteResult =
  /** `status` overrides the status of the operation. */
  | ({ readonly kind: 'json'; readonly status?: number } & JsonResult)
  | ({ readonly kind: 'text' } & TextResult)
  | { readonly kind: 'empty' }
  | { readonly kind: 'run'; readonly run: RunResponse };

/** One operation of the REST interface. */
export interface Route extends DocumentedOperation {
  /** Its name in metrics and in the access log. */
  readonly id: string;
  /** The GraphQL documents that it executes; their aliases are the wire names, so that a result is already the body. */
  readonly documents: readonly string[];
  readonly takesVariables?: boolean;
  readonly respond: (call: RouteCall) => MaybePromise<RouteResult>;
}

export function json(body: unknown, revision?: string): RouteResult {
  return { kind: 'json', body, revision };
}
