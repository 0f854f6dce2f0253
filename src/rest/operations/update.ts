import { invalidInput } from '../../errors/service-error.ts';
import type { Inputs } from '../../openapi/inputs.ts';
import { json, type Route, type RouteCall, type RouteResult } from '../route.ts';
import { deleteDocument } from './delete.ts';
import {
  endpointOrVersionSchema,
  endpointSelection,
  respondEndpointOrVersion,
  toEndpointBody,
  versionSelection,
} from './endpoint-fields.ts';
import { endpointInputs, versionInputs } from './endpoint-inputs.ts';
import { checkSelection, dryRunSchema, toDryRun } from './query-check-fields.ts';

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

const dryRunDocuments = {
  endpoint: `mutation TryUpdate($projectId: ID!, $name: String!, $input: UpdateEndpointInput!) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, input: $input) {
      check ${checkSelection} ...Result
    }
  }
  fragment Result on Endpoint ${endpointSelection}`,
  version: `mutation TryUpdateVersion($projectId: ID!, $name: String!, $version: Int!, $input: UpdateEndpointInput!) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, version: $version, input: $input) {
      check ${checkSelection} version(version: $version) ${versionSelection}
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
  documents: [...Object.values(documents), ...Object.values(dryRunDocuments), deleteDocument],
  respond: async (call) => {
    const { version: _version, deleted, ...input } = call.input;
    if (input.dryRun === true) return tryUpdate(call, { ...input, deleted });
    if (deleted !== true) return respondEndpointOrVersion(call, documents, { input });
    await call.run(deleteDocument, call.params);
    return json({ success: true });
  },
  openapi: {
    operationId: 'update_endpoint',
    putOperationId: 'put_endpoint',
    tag: 'endpoints',
    summary: 'Update an endpoint',
    description:
      'What is absent stays as it is. A changed query makes a new version; nothing else does. With a target version, in the body or as ?version=N, only the settings of that version change, and a query is refused.',
    body: { name: 'UpdateEndpoint', isRequired: true, example: { description: 'Ten numbers.' } },
    success: 'The endpoint as it is now; with a target version, that version.',
    response: {
      anyOf: [dryRunSchema(endpointOrVersionSchema), ...(endpointOrVersionSchema.anyOf ?? [])],
    },
  },
};

async function tryUpdate(
  call: RouteCall,
  { deleted, ...input }: Readonly<Record<string, unknown>>,
): Promise<RouteResult> {
  if (deleted === true)
    throw invalidInput(
      'dry_run',
      'There is no dry run of a deletion. Leave dry_run or deleted out.',
    );
  const { version = null } = call.input;
  const document = version === null ? dryRunDocuments.endpoint : dryRunDocuments.version;
  const { endpoint } = await call.run(document, { ...call.params, input, version });
  const { check, ...result } = endpoint as { readonly check: unknown; readonly version?: object };
  return toDryRun(toEndpointBody(version === null ? result : result.version), check);
}
