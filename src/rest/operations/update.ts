import type { Inputs } from '../../openapi/inputs.ts';
import { json, type Route, type RouteCall } from '../route.ts';
import { toCamelCase } from '../wire-input.ts';
import { deleteDocument } from './delete.ts';
import {
  endpointOrVersionSchema,
  endpointSelection,
  respondEndpointOrVersion,
  versionSelection,
} from './endpoint-fields.ts';
import { endpointInputs, versionInputs } from './endpoint-inputs.ts';

/** What is returned and only read: accepted when it is as it is, for callers who send a whole object back. */
const readOnlyNames = [
  'id',
  'endpoint_path',
  'url',
  'ui_url',
  'created_at',
  'updated_at',
  'created_by',
  'current_version',
  'current_version_id',
  'versions_count',
  'last_executed_at',
  'columns',
  'variables',
  'materialization',
  'version_id',
  'version_created_at',
  'version_created_by',
  'endpoint_is_active',
] as const;

const readOnlyInputs: Inputs = Object.fromEntries(
  readOnlyNames.map((name) => [name, { kind: 'json', schema: null }]),
);

const updateInputs = {
  ...readOnlyInputs,
  ...endpointInputs,
  /** The legacy spelling of DELETE. */
  deleted: { kind: 'boolean', schema: null },
} as const satisfies Inputs;

const documents = {
  endpoint: `mutation Update($projectId: ID!, $name: String!, $input: UpdateEndpointInput!, $expected: JSON) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, input: $input, expected: $expected) ${endpointSelection}
  }`,
  version: `mutation UpdateVersion($projectId: ID!, $name: String!, $version: Int!, $shown: Int, $input: UpdateEndpointInput!, $expected: JSON) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, version: $version, input: $input, expected: $expected) {
      version(version: $shown) ${versionSelection}
    }
  }`,
};

interface Split {
  readonly input: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
  /** The version to return; null: the current one, which may be new. */
  readonly shown: unknown;
}

const readOnly: ReadonlySet<string> = new Set(readOnlyNames.map(toCamelCase));

function split({ version, ...members }: RouteCall['input']): Split {
  const isReadOnly = ([name]: readonly [string, unknown]) => readOnly.has(name);
  const entries = Object.entries(members);
  const { materialization, ...expected } = Object.fromEntries(entries.filter(isReadOnly));
  return {
    input: Object.fromEntries(entries.filter((entry) => !isReadOnly(entry))),
    expected: { ...expected, materialization: withCamelCase(materialization) },
    shown: version === expected.currentVersion ? null : version,
  };
}

function withCamelCase(value: unknown): unknown {
  if (value === null || value === undefined || typeof value !== 'object') return null;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [toCamelCase(name), member]),
  );
}

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
    const { deleted, ...members } = call.input;
    if (deleted !== true) {
      return respondEndpointOrVersion(call, documents, { ...split(members) });
    }
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
    response: endpointOrVersionSchema,
  },
};
