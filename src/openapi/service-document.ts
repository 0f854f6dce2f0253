import {
  type OpenAPIObject,
  OpenApiBuilder,
  type OperationObject,
  type PathItemObject,
  type ResponsesObject,
} from 'openapi3-ts/oas30';
import { addSharedParts, license, openApiVersion, security, serverOf } from './document-parts.ts';
import { answerSchemas, requestBodies } from './schemas/bodies.ts';
import { endpointSchemas } from './schemas/endpoint.ts';
import { errorRefs, freshnessHeaders } from './schemas/error.ts';
import { pathParameters, serviceParameters } from './schemas/parameters.ts';
import { runContent } from './schemas/run-content.ts';
import { type OperationDetails, operationDetails } from './service-operation-details.ts';
import { projectPrefixes, type ServiceOperation, serviceOperations } from './service-operations.ts';

export { type ServiceOperation, serviceOperations } from './service-operations.ts';

const description = `Saved, named, versioned query endpoints of a project.

Every path exists under /api/projects and under /api/environments; both behave the same. A trailing slash is
optional. Every error has the one body \`{type, code, detail, attr}\`. Unknown query parameters and unknown
members of a body are refused with 400.`;

const tags = [
  {
    name: 'endpoints',
    description: 'What is saved: endpoints, their versions and materializations.',
  },
  { name: 'runs', description: 'Running endpoints, and when they ran.' },
];

/** The OpenAPI 3.0 document of the whole REST interface. */
export function serviceDocument(publicUrl: string): OpenAPIObject {
  const builder = OpenApiBuilder.create()
    .addOpenApiVersion(openApiVersion)
    .addInfo({ title: 'Querydock', version: '1', description, license })
    .addServer(serverOf(publicUrl));
  for (const tag of tags) builder.addTag(tag);
  for (const [path, item] of pathItems()) builder.addPath(path, item);
  const parameters = { ...pathParameters, ...serviceParameters };
  for (const [name, parameter] of Object.entries(parameters)) builder.addParameter(name, parameter);
  for (const [name, body] of Object.entries(requestBodies)) builder.addRequestBody(name, body);
  for (const [name, schema] of Object.entries({ ...endpointSchemas, ...answerSchemas })) {
    builder.addSchema(name, schema);
  }
  return { ...addSharedParts(builder).getSpec(), security };
}

/** The rows of the same path under the same prefix as one item. */
function pathItems(): ReadonlyMap<string, PathItemObject> {
  const items = new Map<string, PathItemObject>();
  for (const prefix of projectPrefixes) {
    for (const row of serviceOperations) {
      const path = prefix.path + row.path;
      const item = items.get(path) ?? { parameters: pathParameterRefs(path) };
      const operation = toOperation(row, operationDetails[row.id]);
      const operationId = `${row.id}${prefix.suffix}`;
      items.set(path, { ...item, [row.method.toLowerCase()]: { ...operation, operationId } });
    }
  }
  return items;
}

function pathParameterRefs(path: string): { $ref: string }[] {
  return Object.keys(pathParameters)
    .filter((name) => path.includes(`{${name}}`))
    .map(parameterRef);
}

function parameterRef(name: string): { $ref: string } {
  return { $ref: `#/components/parameters/${name}` };
}

function toOperation(row: ServiceOperation, details: OperationDetails): OperationObject {
  return {
    tags: [details.tag],
    summary: details.summary,
    description: `${details.description}\n\nNeeds the scope \`${row.scope}\`.`,
    security,
    ...(details.parameters === undefined
      ? {}
      : { parameters: details.parameters.map(parameterRef) }),
    ...(details.body === undefined
      ? {}
      : { requestBody: { $ref: `#/components/requestBodies/${details.body}` } }),
    responses: responsesOf(row, details),
  };
}

function responsesOf(row: ServiceOperation, details: OperationDetails): ResponsesObject {
  const isConditional = details.isConditional === true;
  const success = {
    description: details.success,
    ...(details.isFresh === true ? { headers: freshnessHeaders } : {}),
    ...(details.schema === undefined
      ? {}
      : {
          content:
            details.isFresh === true
              ? runContent(details.schema)
              : { 'application/json': { schema: details.schema } },
        }),
  };
  const unchanged = {
    description: 'The content is the one that If-None-Match names.',
    headers: freshnessHeaders,
  };
  return {
    [String(row.status)]: success,
    ...(isConditional ? { '304': unchanged } : {}),
    ...errorRefs({ hasBody: details.body !== undefined, isRun: details.isFresh === true }),
  };
}
