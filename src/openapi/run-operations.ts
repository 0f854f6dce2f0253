/** The path item that runs one version, for its own document and for its project's. */
import type {
  OperationObject,
  ParameterObject,
  PathItemObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas30';
import { security } from './document-parts.ts';
import type { DocumentedVersion } from './documented-version.ts';
import {
  type DocumentedRun,
  ownParameters,
  rowsParameter,
  runRequestBody,
} from './endpoint-request.ts';
import { toMarkdown } from './json-schema.ts';
import { errorRefs, freshnessHeaders, notModifiedResponse } from './schemas/error.ts';
import { eventMediaType, rowMediaTypes } from './schemas/run-content.ts';
import { runHeaders } from './schemas/run-inputs.ts';

export interface RunOperations extends DocumentedRun {
  /** Id of the POST; the GET's has `_get` appended. */
  readonly operationId: string;
  readonly tag: string;
  /** Further parameters of GET, after the endpoint's own. */
  readonly parameters: readonly (ParameterObject | ReferenceObject)[];
  /** The response's schema. */
  readonly result: SchemaObject | ReferenceObject;
}

/** The contract's id of the POST; the GET's has `_get` appended, because ids are unique within a document. */
export function operationIdOf(name: string): string {
  return `run_${name.replaceAll('-', '_')}`;
}

export function runPathItem(operations: RunOperations): PathItemObject {
  return { get: getOperation(operations), post: postOperation(operations) };
}

export function describeEndpoint({ name, version, description }: DocumentedVersion): string {
  return description === ''
    ? `Querydock endpoint ${name}, version ${version}.`
    : toMarkdown(description);
}

function postOperation(operations: RunOperations): OperationObject {
  return {
    ...shared(operations),
    operationId: operations.operationId,
    parameters: [rowsParameter(operations.form), runHeaders.cache_control],
    requestBody: runRequestBody(operations),
    responses: { '200': okResponse(operations), ...errorRefs({ hasBody: true, isRun: true }) },
  };
}

function getOperation(operations: RunOperations): OperationObject {
  return {
    ...shared(operations),
    operationId: `${operations.operationId}_get`,
    parameters: [...ownParameters(operations), ...operations.parameters],
    responses: {
      '200': followableResponse(operations),
      '304': notModifiedResponse,
      ...errorRefs({ hasBody: false, isRun: true }),
    },
  };
}

function shared({ documented, tag }: RunOperations): Omit<OperationObject, 'responses'> {
  const { name, version } = documented;
  return {
    tags: [tag],
    summary: `Run ${name}`,
    description: `${describeEndpoint(documented)}\n\nThis document describes version ${version}; a run without \`version\` uses the current version. Needs the scope \`endpoint:read\`.`,
    security,
  };
}

/** The response of GET, which is also available as a stream, listed like the formats other than JSON. */
function followableResponse(operations: RunOperations): ResponseObject {
  const { description, 'x-media-types': others = [], ...response } = okResponse(operations);
  return {
    description: `${description} With \`Accept: ${eventMediaType}\` they are sent as server-sent events: \`result\` with this body, first and whenever the rows change, \`changes\` if requested, \`error\` with the error body, and \`reconnect\`.`,
    ...response,
    'x-media-types': [...(others as readonly string[]), eventMediaType],
  };
}

function okResponse({ form, result }: RunOperations): ResponseObject {
  const others =
    form === 'objects'
      ? ''
      : ` With \`format\` or \`Accept\`, only the rows are returned, as ${rowMediaTypes.join(', ')}.`;
  return {
    description: `The rows and their metadata.${others}`,
    headers: freshnessHeaders,
    // Only one content type: generated clients make a union of several, and lose the types of the rows.
    content: { 'application/json': { schema: result } },
    ...(form === 'objects' ? {} : { 'x-media-types': rowMediaTypes }),
  };
}
