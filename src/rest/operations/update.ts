import { type Patch, type PatchInput, readPatch } from '../../endpoints/read-patch.ts';
import type { Inputs } from '../../openapi/inputs.ts';
import { json, type Route, type RouteCall, type RouteResult } from '../route.ts';
import { deleteDocument } from './delete.ts';
import {
  endpointOrVersionSchema,
  endpointSelection,
  respondEndpointOrVersion,
  versionSelection,
} from './endpoint-fields.ts';
import { endpointInputs, versionInputs } from './endpoint-inputs.ts';

const updateInputs = {
  ...endpointInputs,
  /** The legacy spelling of DELETE. */
  deleted: { kind: 'boolean', schema: null },
} as const satisfies Inputs;

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
    response: endpointOrVersionSchema,
  },
};
