import {
  type OpenAPIObject,
  OpenApiBuilder,
  type OperationObject,
  type ResponseObject,
  type ResponsesObject,
} from 'openapi3-ts/oas30';
import { runPath } from '../endpoints/endpoint-urls.ts';
import type { Variable } from '../query/variables.ts';
import { addSharedParts, license, openApiVersion, security, serverOf } from './document-parts.ts';
import { runQueryParameters, runRequestBody } from './endpoint-request.ts';
import { type DocumentedColumn, endpointResultSchema } from './endpoint-response.ts';
import { schemaRef, toMarkdown } from './json-schema.ts';
import { errorRefs, freshnessHeaders, notModifiedResponse } from './schemas/error.ts';
import { rowMediaTypes } from './schemas/run-content.ts';
import { runHeaders } from './schemas/run-inputs.ts';

/** The facts from which the document of one version is built. */
export interface DocumentedVersion {
  readonly projectId: number;
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly columns: readonly DocumentedColumn[];
  readonly variables: readonly Variable[];
}

const tag = 'run';

/** The OpenAPI 3.0 document of running one version. Pure; the same input gives an equal document. */
export function endpointDocument(documented: DocumentedVersion, publicUrl: string): OpenAPIObject {
  const builder = OpenApiBuilder.create()
    .addOpenApiVersion(openApiVersion)
    .addInfo({
      title: documented.name,
      version: String(documented.version),
      description: descriptionOf(documented),
      license,
    })
    .addServer(serverOf(publicUrl))
    .addTag({ name: tag, description: 'Running this endpoint.' })
    .addPath(runPath(documented), {
      get: getOperation(documented),
      post: postOperation(documented),
    })
    .addRequestBody('EndpointRunRequest', runRequestBody(documented.variables))
    .addSchema('EndpointRunResponse', endpointResultSchema(documented.columns));
  return { ...addSharedParts(builder).getSpec(), security };
}

function descriptionOf({ name, version, description }: DocumentedVersion): string {
  return description === ''
    ? `Querydock endpoint ${name}, version ${version}.`
    : toMarkdown(description);
}

/** The id of the POST operation; GET's has `_get` after it. Source: the contract. */
function operationId(name: string): string {
  return `run_${name.replaceAll('-', '_')}`;
}

function postOperation(documented: DocumentedVersion): OperationObject {
  return {
    ...shared(documented),
    operationId: operationId(documented.name),
    parameters: [runHeaders.cache_control],
    requestBody: { $ref: '#/components/requestBodies/EndpointRunRequest' },
    responses: { '200': okResponse(), ...errorRefs({ hasBody: true, isRun: true }) },
  };
}

function getOperation(documented: DocumentedVersion): OperationObject {
  const responses: ResponsesObject = {
    '200': okResponse(),
    '304': notModifiedResponse,
    ...errorRefs({ hasBody: false, isRun: true }),
  };
  return {
    ...shared(documented),
    operationId: `${operationId(documented.name)}_get`,
    parameters: runQueryParameters(documented.variables),
    responses,
  };
}

function shared(documented: DocumentedVersion): Omit<OperationObject, 'responses'> {
  const { name, version } = documented;
  return {
    tags: [tag],
    summary: `Run ${name}`,
    description: `${descriptionOf(documented)}\n\nThis describes version ${version}; a run without \`version\` takes the latest. Needs the scope \`endpoint:read\`.`,
    security,
  };
}

function okResponse(): ResponseObject {
  return {
    description: `The rows and the facts around them. With \`format\`, or by \`Accept\`, the rows alone come as ${rowMediaTypes.join(', ')}.`,
    headers: freshnessHeaders,
    // Only one content: generated clients make a union of several, and lose the types of the rows.
    content: { 'application/json': { schema: schemaRef('EndpointRunResponse') } },
    'x-media-types': rowMediaTypes,
  };
}
