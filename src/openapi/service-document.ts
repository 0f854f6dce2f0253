import {
  type OpenAPIObject,
  OpenApiBuilder,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type ResponseObject,
  type ResponsesObject,
} from 'openapi3-ts/oas30';
import {
  addChangeParts,
  addSharedParts,
  license,
  openApiVersion,
  security,
  serverOf,
} from './document-parts.ts';
import { parametersOf, requestBodyOf } from './inputs.ts';
import { parameterRef } from './json-schema.ts';
import type { DocumentedOperation } from './operation.ts';
import {
  errorRefs,
  freshnessHeaders,
  notModifiedResponse,
  readHeaders,
  readNotModifiedResponse,
} from './schemas/error.ts';
import { pathParameters } from './schemas/parameters.ts';
import { runContent } from './schemas/run-content.ts';

const description = `Saved, named, versioned query endpoints of a project.

Every path exists under /api/projects and under /api/environments; both behave the same. A trailing slash is
optional. Every error has the body \`{type, code, detail, attr}\`, or is \`application/problem+json\` for clients
that accept that. Unknown query parameters and unknown members of a body are refused with 400.`;

const tags = [
  {
    name: 'endpoints',
    description: 'Endpoints, their versions and their materializations.',
  },
  { name: 'runs', description: 'Running endpoints and unsaved queries; recorded executions.' },
  { name: 'tables', description: 'The tables that queries can read, and loading rows into them.' },
  { name: 'variables', description: 'Saved variables that the queries of a project share.' },
  { name: 'usage', description: 'Usage of endpoints, and advice derived from it.' },
  { name: 'account', description: 'The current key, its owner and its projects.' },
];

/** The two spellings of a project's URL. */
const prefixes = [
  { path: '/api/projects/{project_id}', suffix: '' },
  { path: '/api/environments/{project_id}', suffix: '_env' },
] as const;

/** The OpenAPI 3.0 document of the whole REST interface. */
export function serviceDocument(
  publicUrl: string,
  operations: readonly DocumentedOperation[],
): OpenAPIObject {
  const builder = OpenApiBuilder.create()
    .addOpenApiVersion(openApiVersion)
    .addInfo({ title: 'Querydock', version: '1', description, license })
    .addServer(serverOf(publicUrl));
  for (const tag of tags) builder.addTag(tag);
  for (const [path, item] of pathItems(inDocumentOrder(operations))) builder.addPath(path, item);
  const parameters = { ...pathParameters, ...queryParameters(operations) };
  for (const [name, parameter] of Object.entries(parameters)) builder.addParameter(name, parameter);
  for (const { body, openapi } of operations) {
    if (body !== null && openapi.body !== undefined)
      builder.addRequestBody(openapi.body.name, requestBodyOf(body, openapi.body));
    for (const [name, schema] of Object.entries(openapi.schemas ?? {}))
      builder.addSchema(name, schema);
  }
  addSharedParts(builder);
  addChangeParts(builder);
  return { ...builder.getSpec(), security };
}

function inDocumentOrder(operations: readonly DocumentedOperation[]): DocumentedOperation[] {
  const moved = operations.filter(({ openapi }) => openapi.listedAfter !== undefined);
  const ordered = operations.filter(({ openapi }) => openapi.listedAfter === undefined);
  for (const operation of moved) {
    const before = ordered.findIndex(({ path }) => path === operation.openapi.listedAfter);
    ordered.splice(before + 1, 0, operation);
  }
  return ordered;
}

/** Throws when two different parameters claim one component, which is a bug. */
function queryParameters(
  operations: readonly DocumentedOperation[],
): Readonly<Record<string, ParameterObject>> {
  const parameters: Record<string, ParameterObject> = {};
  for (const [name, parameter] of operations.flatMap((one) => Object.entries(parametersIn(one)))) {
    const earlier = parameters[name] ?? parameter;
    if (JSON.stringify(earlier) !== JSON.stringify(parameter))
      throw new Error(`two different parameters are both the component ${name}`);
    parameters[name] = parameter;
  }
  return parameters;
}

function parametersIn({ openapi, query }: DocumentedOperation) {
  return openapi.parameters ?? parametersOf(query);
}

/** Groups the operations of a path under a prefix into one item. */
function pathItems(
  operations: readonly DocumentedOperation[],
): ReadonlyMap<string, PathItemObject> {
  const items = new Map<string, PathItemObject>();
  for (const prefix of prefixes) {
    for (const operation of operations) {
      const isAlone = operation.path.startsWith('/api/');
      if (isAlone && prefix.suffix !== '') continue;
      const below = operation.path.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '');
      const path = isAlone ? below : prefix.path + below;
      const item = items.get(path) ?? { parameters: pathParameterRefs(path) };
      items.set(path, { ...item, ...toOperations(operation, prefix.suffix) });
    }
  }
  return items;
}

function pathParameterRefs(path: string): { $ref: string }[] {
  return Object.keys(pathParameters)
    .filter((name) => path.includes(`{${name}}`))
    .map(parameterRef);
}

/** By method: the operation, and its PUT if it has one. */
function toOperations(operation: DocumentedOperation, suffix: string): PathItemObject {
  const { operationId, putOperationId } = operation.openapi;
  const own = toOperation(operation);
  const item = {
    [operation.method.toLowerCase()]: { ...own, operationId: operationId + suffix },
  };
  if (putOperationId === undefined) return item;
  const put = {
    ...own,
    summary: `${own.summary} (PUT)`,
    description: `The same as ${operation.method}. ${own.description}`,
    operationId: putOperationId + suffix,
  };
  return { ...item, put };
}

function toOperation(operation: DocumentedOperation): OperationObject {
  const { openapi } = operation;
  const parameters = Object.keys(parametersIn(operation));
  return {
    tags: [openapi.tag],
    summary: openapi.summary,
    description: `${openapi.description}\n\nNeeds the scope \`${operation.scope}\`.`,
    security,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterRef) }),
    ...(openapi.rawBody === undefined ? {} : { requestBody: openapi.rawBody }),
    ...(openapi.body === undefined
      ? {}
      : { requestBody: { $ref: `#/components/requestBodies/${openapi.body.name}` } }),
    responses: responsesOf(operation),
  };
}

function responsesOf({
  method,
  status,
  openapi,
  isFollowable,
}: DocumentedOperation): ResponsesObject {
  const { success, dryRun, isRun = false, isConditional } = openapi;
  const isRead = method === 'GET' && !isRun;
  const hasBody = openapi.body !== undefined || openapi.rawBody !== undefined;
  return {
    ...(dryRun === undefined
      ? {}
      : {
          '200': {
            description: 'With dry_run: the object that would result.',
            content: { 'application/json': { schema: dryRun } },
          },
        }),
    [String(status)]: {
      description: success,
      ...(isRun ? { headers: freshnessHeaders } : {}),
      ...(isRead ? { headers: readHeaders } : {}),
      ...contentOf(openapi, isFollowable === true),
    },
    ...(isRun && method === 'GET' ? { '304': notModifiedResponse } : {}),
    ...(isRead ? { '304': readNotModifiedResponse } : {}),
    ...errorRefs({ hasBody, isRun, isConditional }),
  };
}

/** Empty when success has no body. */
function contentOf(
  { response, textResponse, isRun }: DocumentedOperation['openapi'],
  isFollowable: boolean,
): Pick<ResponseObject, 'content'> {
  if (textResponse !== undefined) {
    const schema = { type: 'string', description: textResponse } as const;
    return { content: { 'text/plain': { schema } } };
  }
  if (response === undefined) return {};
  const json = { 'application/json': { schema: response } };
  return { content: isRun === true ? runContent(response, isFollowable) : json };
}
