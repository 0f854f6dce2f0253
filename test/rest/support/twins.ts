/** Each documented row with its GraphQL twin: two calls that mean the same, and where its facts stand. */

export interface RestCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface GraphQLCall {
  readonly document: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Where the facts stand in `data`. */
  readonly facts: (data: Facts) => unknown;
}

export type Facts = Readonly<Record<string, never>>;

const user = '{ id: number uuid firstName lastName email }';

const shared = `name graphqlName description query isActive cacheAgeSeconds endpointPath url uiUrl createdAt updatedAt
  createdBy ${user} isMaterialized currentVersion currentVersionId versionsCount derivedFromInsight
  lastExecutedAt columns { name type } variables { name type required default description }
  syncFrequency dataFreshnessSeconds tags materialization { canMaterialize reason }`;

export const endpointFields = `{ id ${shared} }`;
export const versionFields = `{ id: endpointId ${shared} version versionId versionCreatedAt versionCreatedBy ${user} endpointIsActive }`;
export const runFields = `{ results columns types hasMore limit offset nextCursor isCached lastRefresh cacheTargetAge
  nextAllowedClientRefresh timezone name endpointVersion endpointVersionCreatedAt endpointMaterialized
  endpointMaterializedAt executionId queryStatus { id } }`;
export const debugFields = `{ cacheKey query servedFrom inlineReason timings { name }
  queryProgress { activeCpuTime bytesRead estimatedRowsTotal rowsRead timeElapsed } }`;

/** Members of a body in camelCase, at every depth but inside what the caller wrote. */
export function toCamel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamel);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'distinct_id')
      .map(([name, member]) => [
        name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
        asWritten.has(name) ? member : toCamel(member),
      ]),
  );
}

/** What authors wrote: both interfaces return it as it is. */
const asWritten: ReadonlySet<string> = new Set(['query', 'default']);

/** Ids of rows are each row's own; two that are made in the same way differ in nothing else. */
export function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value);
  return JSON.parse(text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(id)'));
}
