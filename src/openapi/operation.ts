/** What an operation of the REST interface declares about itself: the OpenAPI document and the parser of requests both derive from it. */
import type {
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  SchemaObject,
} from 'openapi3-ts/oas30';
import type { Scope } from '../model/scope.ts';
import type { DocumentedBody, Inputs } from './inputs.ts';

export interface DocumentedOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the project's prefix: `/endpoints/:name/run`; one that begins with `/api/` stands by itself. */
  readonly path: string;
  readonly scope: Scope;
  /** Of success. */
  readonly status: 200 | 201 | 204;
  readonly query: Inputs;
  /** Null: the operation reads no body. */
  readonly body: Inputs | null;
  /** Whether its results can be followed, as a stream of events. */
  readonly isFollowable?: boolean;
  readonly openapi: OperationDescription;
}

/** The operation's description in the OpenAPI document. */
export interface OperationDescription {
  /** Under /api/projects; under /api/environments it has `_env` after it. */
  readonly operationId: string;
  /** Of the same operation by PUT, which behaves as PATCH. */
  readonly putOperationId?: string;
  readonly tag: 'endpoints' | 'runs' | 'tables' | 'variables' | 'usage' | 'account';
  readonly summary: string;
  readonly description: string;
  /** By the name of their component; absent: the documented inputs of the query string. */
  readonly parameters?: Readonly<Record<string, ParameterObject>>;
  /** Absent where a body is accepted but has no use, as with GET. */
  readonly body?: DocumentedBody;
  /** In place of `body`, where it is not JSON. */
  readonly rawBody?: RequestBodyObject;
  /** What success means. */
  readonly success: string;
  /** Of the response body; absent where success has none. */
  readonly response?: SchemaObject | ReferenceObject;
  /** Of a dry run, which is answered 200. */
  readonly dryRun?: SchemaObject;
  /** In place of `response`, where the body is text: what it is. */
  readonly textResponse?: string;
  /** Component schemas of the operation, by name. */
  readonly schemas?: Readonly<Record<string, SchemaObject>>;
  /** Whether the response is that of a run: in several formats, with an ETag and its age. */
  readonly isRun?: true;
  /** Whether it takes `If-Match`, and may answer 412. */
  readonly isConditional?: true;
  /** The path that the document lists before this one, where that is not the order of the operations. */
  readonly listedAfter?: string;
}
