import { parseQuery, type QueryDefinition } from '../../query/query-definition.ts';
import { listVariables } from '../../query/variables.ts';
import type { ColumnRecord, EndpointRecord } from '../../store/endpoint-record.ts';
import type { ProjectRecord } from '../../store/project-store.ts';
import { unstoredEndpoint } from '../unstored-endpoint.ts';

/**
 * The endpoint through which a project reads its own usage, and its data graph field. Names of saved endpoints never
 * begin with an underscore.
 */
export const usageEndpointName = '_usage';

/** Id under which its runs are counted; no saved endpoint has it. */
const usageEndpointId = '00000000-0000-0000-0000-000000000001';

const count = 'UInt64';
const milliseconds = 'Nullable(Float64)';

/** Columns of its rows; group columns that are not grouped by are NULL. */
export const usageColumns = [
  { name: 'at', type: "Nullable(DateTime64(3, 'UTC'))" },
  { name: 'endpoint', type: 'Nullable(String)' },
  { name: 'version', type: 'Nullable(UInt32)' },
  { name: 'key_id', type: 'Nullable(String)' },
  { name: 'key_label', type: 'Nullable(String)' },
  { name: 'interface', type: 'Nullable(String)' },
  { name: 'path', type: 'Nullable(String)' },
  { name: 'outcome', type: 'Nullable(String)' },
  { name: 'runs', type: count },
  { name: 'errors', type: count },
  { name: 'rows', type: count },
  { name: 'bytes', type: count },
  { name: 'executions', type: count },
  { name: 'rows_read', type: count },
  { name: 'bytes_read', type: count },
  { name: 'engine_seconds', type: 'Float64' },
  { name: 'processor_seconds', type: 'Nullable(Float64)' },
  { name: 'measured_executions', type: count },
  { name: 'mean_ms', type: milliseconds },
  { name: 'p50_ms', type: milliseconds },
  { name: 'p95_ms', type: milliseconds },
  { name: 'p99_ms', type: milliseconds },
  { name: 'recomputed', type: count },
  { name: 'unchanged', type: count },
] as const satisfies readonly ColumnRecord[];

export type UsageColumn = (typeof usageColumns)[number]['name'];

const text = (description: string, value = '') => ({ value, description });

const variables = {
  from: text(
    'Start, in ISO 8601; empty: one hour before the end by minute, one day by hour, 30 days by day.',
  ),
  to: text('End, exclusive, in ISO 8601; empty: now.'),
  step: text('Length of the steps: minute, hour, day, or all for a single step.', 'hour'),
  group_by: text(
    'What to group by: any of endpoint, version, key, interface, path and outcome, separated by commas.',
  ),
  endpoint: text('Name of the endpoint; empty: all.'),
  version: { value: 0, description: 'Number of the version; 0: all.' },
  key: text('Id of the key; empty: all.'),
  interface: text('rest, graphql or live; empty: all.'),
  path: text('cache, inline, materialized or none; empty: all.'),
  outcome: text('ok or an error code; empty: all.'),
} as const;

export type UsageVariable = keyof typeof variables;

/**
 * The query that callers see. Its rows come from the metadata database and are sent to the engine with each execution.
 */
const query: QueryDefinition = {
  kind: 'SQLQuery',
  query: `SELECT * FROM usage(${Object.entries(variables)
    .map(([name, { value }]) => `{${name}:${typeof value === 'number' ? 'UInt32' : 'String'}}`)
    .join(', ')})`,
  variables: Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [name, { code_name: name, ...variable }]),
  ),
};

/** Limits dashboards that are open at the same time to one query per minute. */
const cacheAgeSeconds = 60;

/** Its documented facts, the same in every project. */
export const usageFacts = {
  id: usageEndpointId,
  name: usageEndpointName,
  version: 1,
  description:
    'Usage of this project. It changes with each run, so it is not available as a live result.',
  text: query.query,
  columns: usageColumns,
  variables: listVariables(parseQuery(query)),
} as const;

export function usageEndpoint(project: ProjectRecord): EndpointRecord {
  return unstoredEndpoint({
    ...usageFacts,
    graphqlName: usageEndpointName,
    project,
    query,
    cacheAgeSeconds,
    createdAt: project.createdAt,
  }).endpoint;
}

export function isUsageEndpoint({ name }: Pick<EndpointRecord, 'name'>): boolean {
  return name === usageEndpointName;
}
