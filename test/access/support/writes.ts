/** Every mutation of the schema as a test can do it: with success, and so that it is refused. */
import { expect } from 'vitest';
import type { GraphQLBody, TestApp, TestResponse } from '../../support/test-app.ts';

export interface Entry {
  readonly id: string;
  readonly at: string;
  readonly projectId: string | null;
  readonly action: string;
  readonly door: string;
  readonly keyId: string | null;
  readonly user: { readonly email: string } | null;
  readonly requestId: string | null;
  readonly endpointName: string | null;
  readonly version: number | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

interface Listed {
  readonly auditLog: {
    readonly totalCount: number;
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly edges: readonly { readonly node: Entry }[];
  };
}

const document = `query ($projectId: ID, $first: Int, $after: String, $filter: AuditFilter) {
  auditLog(projectId: $projectId, first: $first, after: $after, filter: $filter) {
    totalCount pageInfo { hasNextPage endCursor }
    edges { node { id at projectId action door keyId user { email } requestId endpointName version before after } }
  }
}`;

export interface AuditCall {
  readonly projectId?: string | null;
  readonly first?: number;
  readonly after?: string | null;
  readonly filter?: object;
}

export async function askAudit(
  test: TestApp,
  call: AuditCall = {},
  key = test.adminKey,
): Promise<TestResponse<GraphQLBody>> {
  return test.graphql(document, { projectId: '@current', ...call }, { key });
}

export async function readAudit(test: TestApp, call: AuditCall = {}, key = test.adminKey) {
  const { body } = await askAudit(test, call, key);
  if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors));
  const { auditLog } = body.data as unknown as Listed;
  return { ...auditLog, entries: auditLog.edges.map(({ node }) => node) };
}

/** All entries of the service, newest first, as they are stored. */
export async function allEntries(test: TestApp): Promise<readonly Entry[]> {
  return (await readAudit(test, { projectId: null, first: 1000 })).entries;
}

export interface MutationCase {
  readonly scope: 'endpoint:write' | 'admin';
  readonly action: string;
  readonly version: number | null;
  /** Prepares what the mutation needs. Returns the variables of its document. */
  readonly prepare: (test: TestApp) => Promise<Readonly<Record<string, unknown>>>;
  /** Members of the entry's before and after. Absent where another test asserts them. */
  readonly told?: (test: TestApp) => {
    readonly before: object | null;
    readonly after: object | null;
  };
  readonly document: string;
  /** Makes it refused, by input or by what there is. */
  readonly refused: Readonly<Record<string, unknown>>;
}

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const sales = { name: 'sales', query: 'SELECT 1 AS one' } as const;

async function fresh(test: TestApp, more: object = {}): Promise<{ readonly name: string }> {
  await test.rest('DELETE', '/endpoints/sales');
  const { status, text } = await test.rest('POST', '/endpoints', { body: { ...sales, ...more } });
  if (status !== 201) throw new Error(text);
  return { name: 'sales' };
}

const materialized = {
  query: 'SELECT number AS n FROM numbers(3)',
  is_materialized: true,
} as const;

async function underWay(test: TestApp): Promise<{ readonly name: string }> {
  const made = await fresh(test, materialized);
  const now = test.clock.now();
  await test.backends.metadata.prisma.materializationStatus.updateMany({
    where: { version: { endpoint: { name: made.name } } },
    data: {
      claimedBy: 'test',
      syncId: crypto.randomUUID(),
      startedAt: now,
      claimedUntil: new Date(now.getTime() + 60_000),
    },
  });
  return made;
}

async function running(test: TestApp): Promise<{ readonly id: string }> {
  await fresh(test, { cache_age_seconds: 0 });
  const { body } = await test.rest('GET', '/endpoints/sales/run?client_query_id=of-the-run');
  await test.app.core.recorder.flush();
  const id = String(body.execution_id);
  await test.backends.metadata.prisma.queryStatus.update({
    where: { id },
    data: { endTime: null },
  });
  return { id };
}

async function issued(test: TestApp): Promise<{ readonly id: string }> {
  const { id } = await test.issueKey({ scopes: ['endpoint:read'], projects: [test.project] });
  return { id };
}

const country = { name: 'Country', type: 'String' } as const;

async function noVariables(test: TestApp): Promise<void> {
  const { body } = await test.rest('GET', '/insight_variables');
  for (const { id } of body.results as readonly { readonly id: string }[]) {
    await test.rest('DELETE', `/insight_variables/${id}`);
  }
}

async function savedVariable(test: TestApp): Promise<{ readonly id: string }> {
  await noVariables(test);
  const { body } = await test.rest('POST', '/insight_variables', { body: country });
  return { id: String(body.id) };
}

const nobody = '01900000-0000-7000-8000-000000000009';

/** By the name of the field; a test holds that none is missing. */
export const mutations: Readonly<Record<string, MutationCase>> = {
  createEndpoint: {
    scope: 'endpoint:write',
    action: 'endpoint.create',
    version: 1,
    prepare: async (test) => {
      await test.rest('DELETE', '/endpoints/sales');
      return { input: sales };
    },
    document:
      'mutation ($input: CreateEndpointInput!) { createEndpoint(projectId: "@current", input: $input) { id } }',
    refused: { input: { name: 'sales', query: 'SELECT nothing FROM nowhere' } },
  },
  updateEndpoint: {
    scope: 'endpoint:write',
    action: 'endpoint.update',
    version: 2,
    prepare: async (test) => ({ ...(await fresh(test)), input: { query: 'SELECT 2 AS two' } }),
    document:
      'mutation ($name: String!, $input: UpdateEndpointInput!) { updateEndpoint(projectId: "@current", name: $name, input: $input) { id } }',
    refused: { name: 'sales', input: { isMaterialized: true, isActive: false } },
  },
  deleteEndpoint: {
    scope: 'endpoint:write',
    action: 'endpoint.delete',
    version: 1,
    prepare: fresh,
    document: 'mutation ($name: String!) { deleteEndpoint(projectId: "@current", name: $name) }',
    refused: { name: 'absent' },
  },
  createSavedVariable: {
    scope: 'endpoint:write',
    action: 'variable.create',
    version: null,
    prepare: async (test) => {
      await noVariables(test);
      return { input: country };
    },
    document:
      'mutation ($input: CreateSavedVariableInput!) { createSavedVariable(projectId: "@current", input: $input) { id } }',
    refused: { input: { name: 'Country', type: 'Text' } },
  },
  updateSavedVariable: {
    scope: 'endpoint:write',
    action: 'variable.update',
    version: null,
    prepare: async (test) => ({ ...(await savedVariable(test)), input: { defaultValue: 'at' } }),
    document:
      'mutation ($id: ID!, $input: UpdateSavedVariableInput!) { updateSavedVariable(projectId: "@current", id: $id, input: $input) { id } }',
    refused: { id: nobody, input: { name: 'x' } },
  },
  deleteSavedVariable: {
    scope: 'endpoint:write',
    action: 'variable.delete',
    version: null,
    prepare: savedVariable,
    document: 'mutation ($id: ID!) { deleteSavedVariable(projectId: "@current", id: $id) }',
    refused: { id: nobody },
  },
  syncMaterialization: {
    scope: 'endpoint:write',
    action: 'materialization.sync',
    version: 1,
    prepare: (test) => fresh(test, materialized),
    told: (test) => ({
      before: { nextSyncAt: expect.stringMatching(instant) },
      after: { nextSyncAt: test.clock.now().toISOString() },
    }),
    document:
      'mutation ($name: String!) { syncMaterialization(projectId: "@current", name: $name) { status } }',
    refused: { name: 'plain' },
  },
  cancelSync: {
    scope: 'endpoint:write',
    action: 'materialization.cancel',
    version: 1,
    prepare: underWay,
    told: () => ({
      before: {
        syncId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        startedAt: expect.stringMatching(instant),
      },
      after: { syncId: null, nextSyncAt: expect.stringMatching(instant) },
    }),
    document:
      'mutation ($name: String!) { cancelSync(projectId: "@current", name: $name) { status } }',
    refused: { name: 'plain' },
  },
  cancelQuery: {
    scope: 'endpoint:write',
    action: 'query.cancel',
    version: 1,
    prepare: running,
    told: () => ({
      before: {
        executionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        clientQueryId: 'of-the-run',
        keyId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
      after: null,
    }),
    document: 'mutation ($id: ID!) { cancelQuery(projectId: "@current", id: $id) { id } }',
    refused: { id: nobody },
  },
  setProjectLimits: {
    scope: 'admin',
    action: 'project.limits',
    version: null,
    prepare: async (test) => {
      await test.app.core.projects.setLimits({
        id: test.project.id,
        change: () => ({ queuedQueries: 5 }),
      });
      return { limits: { resultRows: 100 } };
    },
    told: () => ({
      before: { limits: { queuedQueries: 5 } },
      after: { limits: { queuedQueries: 5, resultRows: 100 } },
    }),
    document:
      'mutation ($limits: LimitsInput!) { setProjectLimits(projectId: "@current", limits: $limits) { id } }',
    refused: { limits: { resultRows: -1 } },
  },
  setProjectSettings: {
    scope: 'admin',
    action: 'project.settings',
    version: null,
    prepare: async (test) => {
      await test.app.core.projects.setSettings({
        id: test.project.id,
        settings: { recordsValues: false },
      });
      return { settings: { recordsValues: true } };
    },
    told: () => ({ before: { recordsValues: false }, after: { recordsValues: true } }),
    document:
      'mutation ($settings: ProjectSettingsInput!) { setProjectSettings(projectId: "@current", settings: $settings) { id } }',
    refused: { settings: {} },
  },
  createApiKey: {
    scope: 'admin',
    action: 'key.create',
    version: null,
    prepare: async (test) => ({
      input: { label: 'audited', scopes: ['endpoint:read'], projectIds: [test.project.id] },
    }),
    document: 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { id } }',
    refused: { input: { label: 'audited', scopes: ['none'], projectIds: [] } },
  },
  revokeApiKey: {
    scope: 'admin',
    action: 'key.revoke',
    version: null,
    prepare: issued,
    document: 'mutation ($id: ID!) { revokeApiKey(id: $id) }',
    refused: { id: nobody },
  },
};
