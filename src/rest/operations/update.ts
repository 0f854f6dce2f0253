import type { SchemaObject } from 'openapi3-ts/oas30';
import { type Patch, type PatchInput, readPatch } from '../../endpoints/read-patch.ts';
import { toCamelCase } from '../../lib/camel-case.ts';
import { type Inputs, input, parametersOf } from '../../openapi/inputs.ts';
import { objectOf, schemaRef } from '../../openapi/json-schema.ts';
import { flag } from '../../openapi/schemas/members.ts';
import { conditionHeaders } from '../../openapi/schemas/parameters.ts';
import { json, type Route, type RouteCall, type RouteResult } from '../route.ts';
import { deleteDocument } from './delete.ts';
import {
  endpointSelection,
  respondEndpointOrVersion,
  toEndpointBody,
  versionSelection,
} from './endpoint-fields.ts';
import { endpointInputs, versionInputs } from './endpoint-inputs.ts';
import {
  changesSchema,
  changesSelection,
  checkSelection,
  dryRunSchema,
  toDryRun,
} from './query-check-fields.ts';

/** Read-only members: accepted if unchanged, for callers that send a whole object back. */
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
  /** Part of an earlier update's response that callers may send back. */
  graph_changes: { kind: 'json', schema: null },
  deleted: input({
    type: 'boolean',
    deprecated: true,
    description:
      'true deletes the endpoint as DELETE does; the response is {"success": true}. Accepted for compatibility.',
  }),
} as const satisfies Inputs;

const deletedSchema: SchemaObject = {
  ...objectOf({ success: flag('Always true: the endpoint was deleted.') }),
  description: 'The response to {"deleted": true}.',
};

/** For a change that breaks something. */
const changed = objectOf({ graph_changes: changesSchema }, []);

const documents = {
  endpoint: `mutation Update($projectId: ID!, $name: String!, $input: UpdateEndpointInput!, $expected: JSON, $ifMatch: [String!]) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, input: $input, expected: $expected, ifMatch: $ifMatch) {
      revision ${changesSelection} ...Result
    }
  }
  fragment Result on Endpoint ${endpointSelection}`,
  version: `mutation UpdateVersion($projectId: ID!, $name: String!, $version: Int!, $shown: Int, $input: UpdateEndpointInput!, $expected: JSON, $ifMatch: [String!]) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, version: $version, input: $input, expected: $expected, ifMatch: $ifMatch) {
      revision ${changesSelection} version(version: $shown) ${versionSelection}
    }
  }`,
};

const dryRunDocuments = {
  endpoint: `mutation TryUpdate($projectId: ID!, $name: String!, $input: UpdateEndpointInput!, $expected: JSON, $ifMatch: [String!]) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, input: $input, expected: $expected, ifMatch: $ifMatch) {
      check ${checkSelection} ${changesSelection} ...Result
    }
  }
  fragment Result on Endpoint ${endpointSelection}`,
  version: `mutation TryUpdateVersion($projectId: ID!, $name: String!, $version: Int!, $shown: Int, $input: UpdateEndpointInput!, $expected: JSON, $ifMatch: [String!]) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, version: $version, input: $input, expected: $expected, ifMatch: $ifMatch) {
      check ${checkSelection} ${changesSelection} version(version: $shown) ${versionSelection}
    }
  }`,
};

interface Split {
  readonly input: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
  /** The version to return; null for the current one, which may be new. */
  readonly shown: unknown;
}

const readOnly: ReadonlySet<string> = new Set(readOnlyNames.map(toCamelCase));

function split(version: unknown, members: Patch['input']): Split {
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

const responders: Readonly<
  Record<Patch['kind'], (call: RouteCall, input: Patch['input']) => Promise<RouteResult>>
> = {
  update: (call, input) =>
    respondEndpointOrVersion(call, documents, {
      ...split(call.input.version, input),
      ifMatch: call.ifMatch(),
    }),
  dryRun: (call, input) =>
    respondDryRun(call, { ...split(call.input.version, input), ifMatch: call.ifMatch() }),
  delete: async (call) => {
    await call.run(deleteDocument, { ...call.params, ifMatch: call.ifMatch() });
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
  documents: [...Object.values(documents), ...Object.values(dryRunDocuments), deleteDocument],
  respond: (call) => {
    const { version: _version, graphChanges: _changes, ...members } = call.input;
    const { kind, input } = readPatch(members as PatchInput);
    return responders[kind](call, input);
  },
  openapi: {
    operationId: 'update_endpoint',
    putOperationId: 'put_endpoint',
    tag: 'endpoints',
    summary: 'Update an endpoint',
    description:
      'Absent members remain unchanged. Only a changed query creates a new version. With a target version, in the body or as ?version=N, only the settings of that version change, and a changed query is refused.',
    parameters: { ...parametersOf(versionInputs), ...conditionHeaders },
    isConditional: true,
    body: { name: 'UpdateEndpoint', isRequired: true, example: { description: 'Ten numbers.' } },
    success: 'The updated endpoint; with a target version, that version.',
    response: {
      anyOf: [
        dryRunSchema(
          { anyOf: [schemaRef('EndpointVersion'), schemaRef('Endpoint')] },
          { graph_changes: changesSchema },
        ),
        { allOf: [schemaRef('EndpointVersion'), changed] },
        { allOf: [schemaRef('Endpoint'), changed] },
        schemaRef('EndpointDeleted'),
      ],
    },
    schemas: { EndpointDeleted: deletedSchema },
  },
};

async function respondDryRun(
  call: RouteCall,
  variables: Readonly<Record<string, unknown>>,
): Promise<RouteResult> {
  const { version = null } = call.input;
  const document = version === null ? dryRunDocuments.endpoint : dryRunDocuments.version;
  const { endpoint } = await call.run(document, { ...call.params, ...variables, version });
  const { check, graph_changes, ...result } = endpoint as {
    readonly check: unknown;
    readonly graph_changes: unknown;
    readonly version?: object;
  };
  const body = toEndpointBody(version === null ? result : result.version);
  return toDryRun(body, { check, graph_changes });
}
