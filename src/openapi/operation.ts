/**
 * What a REST operation declares about itself; the OpenAPI document and the request parser are both derived from it.
 */
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
  /** Below the project's prefix: `/endpoints/:name/run`; a path that begins with `/api/` is standalone. */
  readonly path: string;
  readonly scope: Scope;
  /** The status on success. */
  readonly status: 200 | 201 | 204;
  readonly query: Inputs;
  /** Null when the operation reads no body. */
  readonly body: Inputs | null;
  /** Whether its results are available as an event stream. */
  readonly isFollowable?: boolean;
  readonly openapi: OperationDescription;
}

/** The operation's description in the OpenAPI document. */
interface OperationDescription {
  /** Under /api/projects; under /api/environments it has `_env` appended. */
  readonly operationId: string;
  /** For the same operation by PUT, which behaves as PATCH. */
  readonly putOperationId?: string;
  readonly tag: 'endpoints' | 'runs' | 'tables' | 'variables' | 'usage' | 'account';
  readonly summary: string;
  readonly description: string;
  /** By component name; absent for the documented query string inputs. */
  readonly parameters?: Readonly<Record<string, ParameterObject>>;
  /** Absent when a body is accepted but ignored, as for GET. */
  readonly body?: DocumentedBody;
  /** Replaces `body` when it is not JSON. */
  readonly rawBody?: RequestBodyObject;
  /** Description of success. */
  readonly success: string;
  /** Schema of the response body; absent when success has none. */
  readonly response?: SchemaObject | ReferenceObject;
  /** Schema of a dry run's response, which has status 200. */
  readonly dryRun?: SchemaObject;
  /** Replaces `response` when the body is text: its description. */
  readonly textResponse?: string;
  /** Component schemas of the operation, by name. */
  readonly schemas?: Readonly<Record<string, SchemaObject>>;
  /** Whether the response is a run's: in several formats, with an ETag and its age. */
  readonly isRun?: true;
  /** Whether it accepts `If-Match`, and may respond 412. */
  readonly isConditional?: true;
  /** The path that the document lists before this one, if it differs from the order of the operations. */
  readonly listedAfter?: string;
}
