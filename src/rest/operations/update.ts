import type { SchemaObject } from 'openapi3-ts/oas30';
import { type Inputs, input, parametersOf } from '../../openapi/inputs.ts';
import { objectOf, schemaRef } from '../../openapi/json-schema.ts';
import { flag } from '../../openapi/schemas/members.ts';
import { conditionHeaders } from '../../openapi/schemas/parameters.ts';
import { json, type Route } from '../route.ts';
import { deleteDocument } from './delete.ts';
import {
  endpointSelection,
  respondEndpointOrVersion,
  versionSelection,
  withRevision,
} from './endpoint-fields.ts';
import { endpointInputs, versionInputs } from './endpoint-inputs.ts';

const updateInputs = {
  ...endpointInputs,
  deleted: input({
    type: 'boolean',
    deprecated: true,
    description:
      'true deletes the endpoint as DELETE does, and is answered with {"success": true}. Accepted from existing clients.',
  }),
} as const satisfies Inputs;

const deletedSchema: SchemaObject = {
  ...objectOf({ success: flag('true: the endpoint is deleted.') }),
  description: 'The answer to {"deleted": true}.',
};

const documents = {
  endpoint: `mutation Update($projectId: ID!, $name: String!, $input: UpdateEndpointInput!, $ifMatch: [String!]) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, input: $input, ifMatch: $ifMatch) ${withRevision(endpointSelection)}
  }`,
  version: `mutation UpdateVersion($projectId: ID!, $name: String!, $version: Int!, $input: UpdateEndpointInput!, $ifMatch: [String!]) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, version: $version, input: $input, ifMatch: $ifMatch) {
      revision version(version: $version) ${versionSelection}
    }
  }`,
};

export const update: Route = {
  id: 'update',
  method: 'PATCH',
  path: '/endpoints/:name',
  scope: 'endpoint:write',
  status: 200,
  query: versionInputs,
  body: updateInputs,
  documents: [...Object.values(documents), deleteDocument],
  respond: async (call) => {
    const { version: _version, deleted, ...input } = call.input;
    const ifMatch = call.ifMatch();
    if (deleted !== true) return respondEndpointOrVersion(call, documents, { input, ifMatch });
    await call.run(deleteDocument, { ...call.params, ifMatch });
    return json({ success: true });
  },
  openapi: {
    operationId: 'update_endpoint',
    putOperationId: 'put_endpoint',
    tag: 'endpoints',
    summary: 'Update an endpoint',
    description:
      'What is absent stays as it is. A changed query makes a new version; nothing else does. With a target version, in the body or as ?version=N, only the settings of that version change, and a query is refused.',
    parameters: { ...parametersOf(versionInputs), ...conditionHeaders },
    isConditional: true,
    body: { name: 'UpdateEndpoint', isRequired: true, example: { description: 'Ten numbers.' } },
    success: 'The endpoint as it is now; with a target version, that version.',
    response: {
      anyOf: [schemaRef('EndpointVersion'), schemaRef('Endpoint'), schemaRef('EndpointDeleted')],
    },
    schemas: { EndpointDeleted: deletedSchema },
  },
};
