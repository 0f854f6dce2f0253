import type { SchemaObject } from 'openapi3-ts/oas30';
import { type Patch, type PatchInput, readPatch } from '../../endpoints/read-patch.ts';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { objectOf, schemaRef } from '../../openapi/json-schema.ts';
import { flag } from '../../openapi/schemas/members.ts';
import { json, type Route, type RouteCall, type RouteResult } from '../route.ts';
import { deleteDocument } from './delete.ts';
import {
  endpointSelection,
  respondEndpointOrVersion,
  versionSelection,
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
  endpoint: `mutation Update($projectId: ID!, $name: String!, $input: UpdateEndpointInput!) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, input: $input) ${endpointSelection}
  }`,
  version: `mutation UpdateVersion($projectId: ID!, $name: String!, $version: Int!, $input: UpdateEndpointInput!) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, version: $version, input: $input) {
      version(version: $version) ${versionSelection}
    }
  }`,
};

const responders: Readonly<
  Record<Patch['kind'], (call: RouteCall, input: Patch['input']) => Promise<RouteResult>>
> = {
  update: (call, input) => respondEndpointOrVersion(call, documents, { input }),
  delete: async (call) => {
    await call.run(deleteDocument, call.params);
    return json({ success: true });
  },
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
  respond: (call) => {
    const { version: _version, ...members } = call.input;
    const { kind, input } = readPatch(members as PatchInput);
    return responders[kind](call, input);
  },
  openapi: {
    operationId: 'update_endpoint',
    putOperationId: 'put_endpoint',
    tag: 'endpoints',
    summary: 'Update an endpoint',
    description:
      'Absent members stay unchanged. Only a changed query creates a new version. With a target version, in the body or as ?version=N, only the settings of that version change, and a query is refused.',
    body: { name: 'UpdateEndpoint', isRequired: true, example: { description: 'Ten numbers.' } },
    success: 'The updated endpoint; with a target version, that version.',
    response: {
      anyOf: [schemaRef('EndpointVersion'), schemaRef('Endpoint'), schemaRef('EndpointDeleted')],
    },
    schemas: { EndpointDeleted: deletedSchema },
  },
};
