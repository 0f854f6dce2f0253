/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Conditions for a list of entries, all of which must hold. */
export type AuditFilter = {
  /** Only this action, for example endpoint.update. */
  readonly action?: string | null | undefined;
  /** Only entries of this actor: the id of a key, the number of a user, or an interface (rest, graphql, command line, service). */
  readonly actor?: string | null | undefined;
  /** Only entries about endpoints with this name. */
  readonly endpoint?: string | null | undefined;
  /** Only entries at or after this time. */
  readonly since?: string | null | undefined;
  /** Only entries before this time. */
  readonly until?: string | null | undefined;
};

/** A new key for the caller. */
export type CreateApiKeyInput = {
  /** When the key expires; default: never. */
  readonly expiresAt?: string | null | undefined;
  /** Label: what the key is for. */
  readonly label: string;
  /** Limits of the key itself, below those of each of its projects. */
  readonly limits?: LimitsInput | null | undefined;
  /** Ids of the projects that the key has access to. */
  readonly projectIds: ReadonlyArray<number>;
  /** Scopes: endpoint:read, endpoint:write, admin. */
  readonly scopes: ReadonlyArray<string>;
};

/** A new endpoint. */
export type CreateEndpointInput = {
  /** Seconds for which a result is fresh, 0 to 86400; null: the server's default. */
  readonly cacheAgeSeconds?: number | null | undefined;
  /** The cadence in another spelling, 900 to 604800: the longest one that is not older. It must agree with syncFrequency. */
  readonly dataFreshnessSeconds?: number | null | undefined;
  /** Short id of the insight it is derived from. */
  readonly derivedFromInsight?: string | null | undefined;
  /** Description. In an update null changes nothing and "" clears it. */
  readonly description?: string | null | undefined;
  /** Whether to check everything and write nothing. Returned is what would result, with ids that nothing has. */
  readonly dryRun?: boolean | null | undefined;
  /** Name of its field in the data graph: a small letter, then up to 127 letters, digits or underscores. Absent or null: when it is created its name in camelCase, with _2, _3 when that is taken; later no change. */
  readonly graphqlName?: string | null | undefined;
  /** Whether runs are allowed. With a target version: whether runs of that version are. */
  readonly isActive?: boolean | null | undefined;
  /** Whether materialization is enabled. */
  readonly isMaterialized?: boolean | null | undefined;
  /** Maximum number of rows in the stored table; null: the server's default. A version that needs more is not materialized. */
  readonly maxStoredRows?: number | null | undefined;
  /** A letter, then up to 127 letters, digits, underscores or hyphens. */
  readonly name: string;
  /** One SELECT as a string, or {kind, query, variables}. In an update a changed query creates a new version. */
  readonly query: unknown;
  /** How often a materialization is recomputed: 5min, 15min, 30min, 1hour, 2hour, 4hour, 6hour, 12hour, 24hour, 7day or 30day. */
  readonly syncFrequency?: string | null | undefined;
  /** Labels of the endpoint in place of those that it has, at most 20; null changes nothing. */
  readonly tags?: ReadonlyArray<string> | null | undefined;
  /** Absent, null or 1: a new endpoint starts at version 1. */
  readonly version?: number | null | undefined;
};

/** Conditions for a list of endpoints, all of which must hold. */
export type EndpointFilter = {
  /** Only endpoints created by the user with this number. */
  readonly createdBy?: number | null | undefined;
  /** Only active ones, or only inactive ones. */
  readonly isActive?: boolean | null | undefined;
  /** Only those whose current version is materialized, or only the others. */
  readonly isMaterialized?: boolean | null | undefined;
  /** Only endpoints whose name or description contains this text, ignoring case. */
  readonly search?: string | null | undefined;
  /** Only endpoints that have all of these labels. */
  readonly tags?: ReadonlyArray<string> | null | undefined;
};

/** Which executions a log holds; all conditions must be met. */
export type ExecutionFilter = {
  /** Only those that began after it. */
  readonly after?: string | null | undefined;
  /** Only those that began before it. */
  readonly before?: string | null | undefined;
  /** Only the execution of this id. */
  readonly instanceId?: string | number | null | undefined;
  /** Only those through this interface: rest or graphql. */
  readonly interface?: string | null | undefined;
  /** Only these levels, separated by commas: INFO, ERROR. */
  readonly level?: string | null | undefined;
  /** Only those that took so many milliseconds or more. */
  readonly minMs?: number | null | undefined;
  /** Only those whose message holds this text. */
  readonly search?: string | null | undefined;
  /** Only the running, completed or failed ones. */
  readonly status?: string | null | undefined;
  /** Only those of this version. */
  readonly version?: number | null | undefined;
};

/** How a change breaks what callers of the data graph ask. */
export type GraphChangeKind =
  /** An argument is gone. */
  | 'argument_removed'
  /** An argument has to be given. */
  | 'argument_required'
  /** An argument takes another type. */
  | 'argument_type_changed'
  /** A field of its rows is gone. */
  | 'field_removed'
  /** The field of the endpoint has another name. */
  | 'field_renamed'
  /** A field of its rows has another type. */
  | 'field_type_changed'
  /** An argument no longer takes a value. */
  | 'value_removed';

/** Encoding of 64-bit integers in results. */
export type IntegerFormat =
  /** JSON numbers with every digit. */
  | 'number'
  /** Strings of digits, for clients whose numbers are doubles. */
  | 'string';

/** Limits to set, below those that apply otherwise. */
export type LimitsInput = {
  /** Maximum number of concurrent queries on source data, and of concurrent reads of stored tables. */
  readonly concurrentQueries?: number | null | undefined;
  /** Maximum execution time of a query in seconds. */
  readonly executionSeconds?: number | null | undefined;
  /** Maximum memory of a query in bytes. */
  readonly memoryBytes?: number | null | undefined;
  /** Maximum number of runs that wait for a slot. */
  readonly queuedQueries?: number | null | undefined;
  /** Maximum size of a result in bytes. */
  readonly resultBytes?: number | null | undefined;
  /** Maximum number of rows in a result. */
  readonly resultRows?: number | null | undefined;
};

/** Cache policy of a run. */
export type RefreshMode =
  /** Return a cached result that is still fresh, otherwise compute one. */
  | 'cache'
  /** Bypass the stored table, too, and query the source data. */
  | 'direct'
  /** Bypass the result cache; a stored table may still serve the run. */
  | 'force';

/** How a row is written: as an array in the order of the columns, or as an object by their names. */
export type RowForm =
  /** An array, in the order of the columns. */
  | 'ARRAYS'
  /** An object by column name. */
  | 'OBJECTS';

/** Options of one run, all optional. */
export type RunInput = {
  /** Your own id for the run, to find or cancel it by. */
  readonly clientQueryId?: string | null | undefined;
  /** Names of the columns to return, in this order; all when absent. */
  readonly columns?: ReadonlyArray<string> | null | undefined;
  /** Where the page begins: nextCursor of the page before; empty for the first page. Not together with offset. */
  readonly cursor?: string | null | undefined;
  /** Whether to include the SQL sent, timings and how the run was served. */
  readonly debug?: boolean | null | undefined;
  /** {date_from, date_to, properties} for a query with {filters}. */
  readonly filtersOverride?: unknown;
  /** Encoding of 64-bit integers; default: number. */
  readonly integers?: IntegerFormat | null | undefined;
  /** Maximum number of rows, within the query's own LIMIT. */
  readonly limit?: number | null | undefined;
  /** Maximum age of the rows in seconds, from 0; never extends that of the version. */
  readonly maxAgeSeconds?: number | null | undefined;
  /** Number of rows to skip. */
  readonly offset?: number | null | undefined;
  /** Names of result columns that the rows are sorted by, with - in front for descending. */
  readonly orderBy?: ReadonlyArray<string> | null | undefined;
  /** Not supported for SQL endpoints: null or absent. */
  readonly queryOverride?: unknown;
  /** Cache policy; default: cache. */
  readonly refresh?: RefreshMode | null | undefined;
  /** How a row is written; ARRAYS when absent. OBJECTS needs columns of different names. */
  readonly rows?: RowForm | null | undefined;
  /** Seconds past that age for which a stale result may be returned while the engine is unavailable. */
  readonly staleIfErrorSeconds?: number | null | undefined;
  /** Seconds past that age for which a stale result may be returned at once while a background run refreshes it. */
  readonly staleWhileRevalidateSeconds?: number | null | undefined;
  /** Values by variable name, as a JSON object. */
  readonly variables?: unknown;
  /** Version to run; default: the current version. */
  readonly version?: number | null | undefined;
};

/** The changes. Absent members stay unchanged. */
export type UpdateEndpointInput = {
  /** Seconds for which a result is fresh, 0 to 86400; null: the server's default. */
  readonly cacheAgeSeconds?: number | null | undefined;
  /** The cadence in another spelling, 900 to 604800: the longest one that is not older. It must agree with syncFrequency. */
  readonly dataFreshnessSeconds?: number | null | undefined;
  /** Accepted for compatibility; never changes. */
  readonly derivedFromInsight?: string | null | undefined;
  /** Description. In an update null changes nothing and "" clears it. */
  readonly description?: string | null | undefined;
  /** Whether to check everything and write nothing. Returned is what would result, with ids that nothing has. */
  readonly dryRun?: boolean | null | undefined;
  /** Name of its field in the data graph: a small letter, then up to 127 letters, digits or underscores. Absent or null: when it is created its name in camelCase, with _2, _3 when that is taken; later no change. */
  readonly graphqlName?: string | null | undefined;
  /** Whether runs are allowed. With a target version: whether runs of that version are. */
  readonly isActive?: boolean | null | undefined;
  /** Whether materialization is enabled. */
  readonly isMaterialized?: boolean | null | undefined;
  /** Maximum number of rows in the stored table; null: the server's default. A version that needs more is not materialized. */
  readonly maxStoredRows?: number | null | undefined;
  /** Accepted only if it is the current name: endpoints cannot be renamed. */
  readonly name?: string | null | undefined;
  /** One SELECT as a string, or {kind, query, variables}. In an update a changed query creates a new version. */
  readonly query?: unknown;
  /** How often a materialization is recomputed: 5min, 15min, 30min, 1hour, 2hour, 4hour, 6hour, 12hour, 24hour, 7day or 30day. */
  readonly syncFrequency?: string | null | undefined;
  /** Labels of the endpoint in place of those that it has, at most 20; null changes nothing. */
  readonly tags?: ReadonlyArray<string> | null | undefined;
};

/** Which runs usage is of; all conditions must be met. */
export type UsageFilter = {
  /** Only those of endpoints of this name, deleted ones too. */
  readonly endpoint?: string | null | undefined;
  /** Only those of the endpoints of these ids, 1 to 100. */
  readonly endpointIds?: ReadonlyArray<string | number> | null | undefined;
  /** Only those through rest, graphql or live. */
  readonly interface?: string | null | undefined;
  /** Only those by the key of this id. */
  readonly key?: string | number | null | undefined;
  /** Only those that were ok, or ended with this error code. */
  readonly outcome?: string | null | undefined;
  /** Only those served by cache, inline, materialized or none. */
  readonly path?: string | null | undefined;
  /** Only those of this version. */
  readonly version?: number | null | undefined;
};

export type KeysQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type KeysQuery = { readonly apiKeys: { readonly totalCount: number, readonly pageInfo: { readonly endCursor: string | null, readonly hasNextPage: boolean }, readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly label: string, readonly prefix: string, readonly scopes: ReadonlyArray<string>, readonly createdAt: string, readonly expiresAt: string | null, readonly lastUsedAt: string | null, readonly revokedAt: string | null, readonly owner: { readonly email: string }, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> } }> } | null };

export type IssueKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type IssueKeyMutation = { readonly createApiKey: { readonly id: string, readonly key: string } };

export type RevokeKeyMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeKeyMutation = { readonly revokeApiKey: boolean };

export type AuditEntriesQueryVariables = Exact<{
  projectId?: string | number | null | undefined;
  first: number;
  after?: string | null | undefined;
  filter?: AuditFilter | null | undefined;
}>;


export type AuditEntriesQuery = { readonly auditLog: { readonly totalCount: number, readonly pageInfo: { readonly endCursor: string | null, readonly hasNextPage: boolean }, readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly at: string, readonly action: string, readonly door: string, readonly endpointName: string | null, readonly version: number | null, readonly keyId: string | null, readonly requestId: string | null, readonly before: unknown, readonly after: unknown, readonly user: { readonly email: string } | null } }> } | null };

export type ProjectLimitsQueryVariables = Exact<{
  projectId: string | number;
}>;


export type ProjectLimitsQuery = { readonly project: { readonly id: string, readonly name: string, readonly createdAt: string, readonly endpointsCount: number, readonly limits: { readonly concurrentQueries: number, readonly queuedQueries: number, readonly executionSeconds: number, readonly memoryBytes: number, readonly resultRows: number, readonly resultBytes: number }, readonly ownLimits: { readonly concurrentQueries: number | null, readonly queuedQueries: number | null, readonly executionSeconds: number | null, readonly memoryBytes: number | null, readonly resultRows: number | null, readonly resultBytes: number | null } } | null };

export type TablesQueryVariables = Exact<{
  projectId: string | number;
  first: number;
  offset: number;
  search?: string | null | undefined;
}>;


export type TablesQuery = { readonly tables: { readonly totalCount: number, readonly results: ReadonlyArray<{ readonly name: string, readonly comment: string, readonly rows: number | null, readonly bytes: number | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string, readonly comment: string }> }> } | null };

export type TableRowsQueryVariables = Exact<{
  projectId: string | number;
  name: string;
}>;


export type TableRowsQuery = { readonly table: { readonly name: string, readonly comment: string, readonly rows: number | null, readonly bytes: number | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string, readonly comment: string }>, readonly firstRows: { readonly types: ReadonlyArray<ReadonlyArray<string>>, readonly results: unknown } | null } | null };

export type TableHeadQueryVariables = Exact<{
  projectId: string | number;
  name: string;
}>;


export type TableHeadQuery = { readonly table: { readonly name: string, readonly rows: number | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string }> } | null };

export type TableReadersQueryVariables = Exact<{
  projectId: string | number;
  name: string;
  offset: number;
}>;


export type TableReadersQuery = { readonly table: { readonly readers: { readonly nextOffset: number | null, readonly results: ReadonlyArray<{ readonly name: string, readonly version: number, readonly isCurrent: boolean, readonly columns: ReadonlyArray<string> }> } } | null };

export type CheckPartsFragment = { readonly estimatedRows: number | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string }>, readonly variables: ReadonlyArray<{ readonly name: string, readonly type: string, readonly required: boolean, readonly default: unknown, readonly description: string }>, readonly tables: ReadonlyArray<{ readonly name: string, readonly columns: ReadonlyArray<string> }>, readonly materialization: { readonly canMaterialize: boolean, readonly reason: string | null } };

export type CheckUnsavedQueryVariables = Exact<{
  projectId: string | number;
  query: unknown;
}>;


export type CheckUnsavedQuery = { readonly checkQuery: { readonly estimatedRows: number | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string }>, readonly variables: ReadonlyArray<{ readonly name: string, readonly type: string, readonly required: boolean, readonly default: unknown, readonly description: string }>, readonly tables: ReadonlyArray<{ readonly name: string, readonly columns: ReadonlyArray<string> }>, readonly materialization: { readonly canMaterialize: boolean, readonly reason: string | null } } | null };

export type CreateEndpointMutationVariables = Exact<{
  projectId: string | number;
  input: CreateEndpointInput;
}>;


export type CreateEndpointMutation = { readonly createEndpoint: { readonly id: string, readonly name: string, readonly currentVersion: number } };

export type UpdateEndpointMutationVariables = Exact<{
  projectId: string | number;
  name: string;
  input: UpdateEndpointInput;
  ifMatch?: ReadonlyArray<string> | string | null | undefined;
}>;


export type UpdateEndpointMutation = { readonly updateEndpoint: { readonly id: string, readonly name: string, readonly currentVersion: number, readonly graphChanges: ReadonlyArray<{ readonly kind: GraphChangeKind, readonly place: string, readonly message: string }> | null, readonly check: { readonly estimatedRows: number | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string }>, readonly variables: ReadonlyArray<{ readonly name: string, readonly type: string, readonly required: boolean, readonly default: unknown, readonly description: string }>, readonly tables: ReadonlyArray<{ readonly name: string, readonly columns: ReadonlyArray<string> }>, readonly materialization: { readonly canMaterialize: boolean, readonly reason: string | null } } | null } };

export type ExplainUnsavedQueryVariables = Exact<{
  projectId: string | number;
  query: unknown;
  input?: RunInput | null | undefined;
}>;


export type ExplainUnsavedQuery = { readonly checkQuery: { readonly plan: { readonly reads: ReadonlyArray<{ readonly table: string, readonly rows: number, readonly parts: number, readonly granules: number }>, readonly steps: ReadonlyArray<{ readonly depth: number, readonly name: string, readonly description: string, readonly indexes: ReadonlyArray<{ readonly kind: string, readonly keys: ReadonlyArray<string>, readonly condition: string, readonly parts: number, readonly partsBefore: number, readonly granules: number, readonly granulesBefore: number }> }> } | null } | null };

export type EndpointsQueryVariables = Exact<{
  projectId: string | number;
  first: number;
  offset: number;
  filter?: EndpointFilter | null | undefined;
}>;


export type EndpointsQuery = { readonly endpoints: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly name: string, readonly description: string, readonly tags: ReadonlyArray<string>, readonly isActive: boolean, readonly isMaterialized: boolean, readonly currentVersion: number, readonly lastExecutedAt: string | null, readonly latestExecution: { readonly id: string, readonly error: boolean } | null, readonly materialization: { readonly status: string | null, readonly ready: boolean } } }> } | null };

export type ColumnPartsFragment = { readonly name: string, readonly type: string };

export type VariablePartsFragment = { readonly name: string, readonly type: string, readonly required: boolean, readonly default: unknown, readonly description: string };

export type EndpointHeadQueryVariables = Exact<{
  projectId: string | number;
  name: string;
}>;


export type EndpointHeadQuery = { readonly endpoint: { readonly id: string, readonly name: string, readonly description: string, readonly tags: ReadonlyArray<string>, readonly isActive: boolean, readonly isMaterialized: boolean, readonly syncFrequency: string, readonly cacheAgeSeconds: number | null, readonly currentVersion: number, readonly versionsCount: number, readonly revision: string, readonly url: string, readonly graphqlName: string, readonly updatedAt: string, readonly query: unknown, readonly createdBy: { readonly email: string, readonly firstName: string } | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string }>, readonly variables: ReadonlyArray<{ readonly name: string, readonly type: string, readonly required: boolean, readonly default: unknown, readonly description: string }> } | null };

export type VersionHeadQueryVariables = Exact<{
  projectId: string | number;
  name: string;
  version: number;
}>;


export type VersionHeadQuery = { readonly endpointVersion: { readonly id: string, readonly version: number, readonly isActive: boolean, readonly isMaterialized: boolean, readonly query: unknown, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string }>, readonly variables: ReadonlyArray<{ readonly name: string, readonly type: string, readonly required: boolean, readonly default: unknown, readonly description: string }> } | null };

export type UsageOfRowsQueryVariables = Exact<{
  projectId: string | number;
  endpointIds: ReadonlyArray<string | number> | string | number;
}>;


export type UsageOfRowsQuery = { readonly byHour: { readonly from: string, readonly to: string, readonly results: ReadonlyArray<{ readonly at: string | null, readonly endpointId: string | null, readonly runs: number, readonly errors: number }> } | null, readonly whole: { readonly results: ReadonlyArray<{ readonly endpointId: string | null, readonly runs: number, readonly errors: number, readonly p95Ms: number | null }> } | null };

export type ServiceHealthQueryVariables = Exact<{ [key: string]: never; }>;


export type ServiceHealthQuery = { readonly health: { readonly incomplete: string | null, readonly syncs: { readonly enabled: number, readonly due: number, readonly running: number, readonly failed: number } | null, readonly processes: ReadonlyArray<{ readonly id: string, readonly isThis: boolean, readonly isSilent: boolean, readonly isDraining: boolean, readonly seenAt: string, readonly startedAt: string, readonly host: string, readonly pid: number, readonly version: string, readonly memoryBytes: number, readonly connections: number, readonly liveStreams: number, readonly processorTimeProblem: string | null, readonly queues: ReadonlyArray<{ readonly name: string, readonly running: number, readonly waiting: number, readonly maxRunning: number, readonly maxWaiting: number }>, readonly cache: { readonly entries: number, readonly bytes: number, readonly maxBytes: number, readonly hits: number, readonly misses: number, readonly evictions: number }, readonly backends: ReadonlyArray<{ readonly name: string, readonly isUp: boolean, readonly latencyMs: number | null, readonly awaySince: string | null }>, readonly engines: ReadonlyArray<{ readonly address: string, readonly isUp: boolean, readonly version: string | null, readonly uptimeSeconds: number | null, readonly memoryBytes: number | null, readonly runningQueries: number | null }> }> } | null };

export type MaterializationPartsFragment = { readonly enabled: boolean, readonly status: string | null, readonly canMaterialize: boolean, readonly reason: string | null, readonly ready: boolean, readonly servedFrom: string | null, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null, readonly syncFrequency: string | null, readonly nextSyncAt: string | null, readonly lastMaterializedAt: string | null, readonly durationSeconds: number | null, readonly inlineMs: number | null, readonly readMs: number | null, readonly maxStoredRows: number | null, readonly progress: { readonly percent: number | null, readonly rowsRead: number, readonly rowsTotal: number, readonly timeElapsed: number } | null, readonly history: ReadonlyArray<{ readonly id: string, readonly outcome: string, readonly startedAt: string, readonly endedAt: string, readonly durationSeconds: number, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null }> };

export type MaterializationQueryVariables = Exact<{
  projectId: string | number;
  name: string;
}>;


export type MaterializationQuery = { readonly materializationStatus: { readonly enabled: boolean, readonly status: string | null, readonly canMaterialize: boolean, readonly reason: string | null, readonly ready: boolean, readonly servedFrom: string | null, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null, readonly syncFrequency: string | null, readonly nextSyncAt: string | null, readonly lastMaterializedAt: string | null, readonly durationSeconds: number | null, readonly inlineMs: number | null, readonly readMs: number | null, readonly maxStoredRows: number | null, readonly progress: { readonly percent: number | null, readonly rowsRead: number, readonly rowsTotal: number, readonly timeElapsed: number } | null, readonly history: ReadonlyArray<{ readonly id: string, readonly outcome: string, readonly startedAt: string, readonly endedAt: string, readonly durationSeconds: number, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null }> } | null };

export type MaterializationPreviewQueryVariables = Exact<{
  projectId: string | number;
  name: string;
}>;


export type MaterializationPreviewQuery = { readonly materializationPreview: { readonly canMaterialize: boolean, readonly reason: string | null, readonly storedQuery: string | null, readonly readQuery: string | null, readonly sortingKey: ReadonlyArray<string>, readonly maxStoredRows: number, readonly expected: { readonly rows: number, readonly bytes: number | null, readonly exact: boolean } | null, readonly gain: { readonly inlineMs: number, readonly expectedReadMs: number, readonly expectedGain: number, readonly advice: string | null, readonly alternative: { readonly expression: string, readonly insteadOf: string, readonly rows: number, readonly expectedGain: number } | null } | null, readonly tiedRows: { readonly detail: string, readonly tieBreaker: string | null, readonly query: string | null } | null, readonly variables: ReadonlyArray<{ readonly variable: string, readonly condition: string, readonly column: string | null }> } | null };

export type SyncNowMutationVariables = Exact<{
  projectId: string | number;
  name: string;
}>;


export type SyncNowMutation = { readonly syncMaterialization: { readonly enabled: boolean, readonly status: string | null, readonly canMaterialize: boolean, readonly reason: string | null, readonly ready: boolean, readonly servedFrom: string | null, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null, readonly syncFrequency: string | null, readonly nextSyncAt: string | null, readonly lastMaterializedAt: string | null, readonly durationSeconds: number | null, readonly inlineMs: number | null, readonly readMs: number | null, readonly maxStoredRows: number | null, readonly progress: { readonly percent: number | null, readonly rowsRead: number, readonly rowsTotal: number, readonly timeElapsed: number } | null, readonly history: ReadonlyArray<{ readonly id: string, readonly outcome: string, readonly startedAt: string, readonly endedAt: string, readonly durationSeconds: number, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null }> } };

export type CancelSyncMutationVariables = Exact<{
  projectId: string | number;
  name: string;
}>;


export type CancelSyncMutation = { readonly cancelSync: { readonly enabled: boolean, readonly status: string | null, readonly canMaterialize: boolean, readonly reason: string | null, readonly ready: boolean, readonly servedFrom: string | null, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null, readonly syncFrequency: string | null, readonly nextSyncAt: string | null, readonly lastMaterializedAt: string | null, readonly durationSeconds: number | null, readonly inlineMs: number | null, readonly readMs: number | null, readonly maxStoredRows: number | null, readonly progress: { readonly percent: number | null, readonly rowsRead: number, readonly rowsTotal: number, readonly timeElapsed: number } | null, readonly history: ReadonlyArray<{ readonly id: string, readonly outcome: string, readonly startedAt: string, readonly endedAt: string, readonly durationSeconds: number, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null }> } };

export type RunEndpointQueryVariables = Exact<{
  projectId: string | number;
  name: string;
  input?: RunInput | null | undefined;
}>;


export type RunEndpointQuery = { readonly runEndpoint: { readonly results: unknown, readonly types: ReadonlyArray<ReadonlyArray<string>>, readonly hasMore: boolean, readonly limit: number, readonly isCached: boolean, readonly isStale: boolean, readonly lastRefresh: string, readonly cacheTargetAge: string, readonly executionId: string, readonly servedFrom: string | null, readonly inlineReason: string | null, readonly endpointVersion: number, readonly endpointMaterialized: boolean, readonly endpointMaterializedAt: string | null, readonly query: string | null, readonly timings: ReadonlyArray<{ readonly name: string, readonly seconds: number }> | null, readonly queryProgress: { readonly rowsRead: number, readonly bytesRead: number, readonly timeElapsed: number, readonly activeCpuTime: number } | null } | null };

export type RunUnsavedQueryVariables = Exact<{
  projectId: string | number;
  query: unknown;
  input?: RunInput | null | undefined;
}>;


export type RunUnsavedQuery = { readonly runQuery: { readonly results: unknown, readonly types: ReadonlyArray<ReadonlyArray<string>>, readonly hasMore: boolean, readonly limit: number, readonly isCached: boolean, readonly isStale: boolean, readonly lastRefresh: string, readonly cacheTargetAge: string, readonly executionId: string, readonly servedFrom: string | null, readonly inlineReason: string | null, readonly query: string | null, readonly timings: ReadonlyArray<{ readonly name: string, readonly seconds: number }> | null, readonly queryProgress: { readonly rowsRead: number, readonly bytesRead: number, readonly timeElapsed: number, readonly activeCpuTime: number } | null } | null };

export type RunProgressQueryVariables = Exact<{
  projectId: string | number;
  id: string | number;
}>;


export type RunProgressQuery = { readonly queryStatus: { readonly id: string, readonly complete: boolean, readonly queryProgress: { readonly rowsRead: number, readonly estimatedRowsTotal: number, readonly bytesRead: number, readonly timeElapsed: number } } | null };

export type OptionsOfEndpointQueryVariables = Exact<{
  projectId: string | number;
  name: string;
  input?: RunInput | null | undefined;
}>;


export type OptionsOfEndpointQuery = { readonly runEndpoint: { readonly results: unknown, readonly columns: ReadonlyArray<string>, readonly hasMore: boolean } | null };

export type CurrentKeyQueryVariables = Exact<{ [key: string]: never; }>;


export type CurrentKeyQuery = { readonly currentKey: { readonly id: string, readonly label: string, readonly prefix: string, readonly scopes: ReadonlyArray<string>, readonly expiresAt: string | null, readonly owner: { readonly email: string, readonly firstName: string }, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> } | null };

export type ProjectNameQueryVariables = Exact<{
  projectId: string | number;
}>;


export type ProjectNameQuery = { readonly project: { readonly id: string, readonly name: string, readonly endpointsCount: number } | null };

export type UsageOverTimeQueryVariables = Exact<{
  projectId: string | number;
  from?: string | null | undefined;
  step: string;
  filter?: UsageFilter | null | undefined;
}>;


export type UsageOverTimeQuery = { readonly usage: { readonly from: string, readonly to: string, readonly total: { readonly runs: number, readonly errors: number, readonly executions: number, readonly rowsRead: number, readonly engineSeconds: number, readonly processorSeconds: number | null, readonly measuredExecutions: number, readonly p50Ms: number | null, readonly p95Ms: number | null, readonly p99Ms: number | null, readonly errorsByCode: ReadonlyArray<{ readonly code: string, readonly runs: number }> }, readonly results: ReadonlyArray<{ readonly at: string | null, readonly runs: number, readonly errors: number, readonly p95Ms: number | null }> } | null };

export type UsageByGroupQueryVariables = Exact<{
  projectId: string | number;
  from?: string | null | undefined;
  groupBy: ReadonlyArray<string> | string;
  filter?: UsageFilter | null | undefined;
}>;


export type UsageByGroupQuery = { readonly usage: { readonly results: ReadonlyArray<{ readonly endpoint: string | null, readonly endpointId: string | null, readonly version: number | null, readonly interface: string | null, readonly path: string | null, readonly outcome: string | null, readonly runs: number, readonly errors: number, readonly p50Ms: number | null, readonly p95Ms: number | null, readonly rowsRead: number, readonly engineSeconds: number, readonly processorSeconds: number | null, readonly key: { readonly id: string, readonly label: string | null, readonly prefix: string | null } | null }> } | null };

export type ListedExecutionsQueryVariables = Exact<{
  projectId: string | number;
  name?: string | null | undefined;
  order: string;
  filter?: ExecutionFilter | null | undefined;
  first: number;
}>;


export type ListedExecutionsQuery = { readonly executions: { readonly totalCount: number, readonly entries: ReadonlyArray<{ readonly id: string, readonly endpoint: string, readonly version: number, readonly interface: string, readonly startedAt: string, readonly durationSeconds: number | null, readonly servedFrom: string, readonly rowsRead: number, readonly processorSeconds: number | null, readonly variables: unknown, readonly inlineReason: string | null, readonly cacheReason: string | null, readonly errorCode: string | null, readonly errorMessage: string | null }> } | null };

export type ProjectAdviceQueryVariables = Exact<{
  projectId: string | number;
}>;


export type ProjectAdviceQuery = { readonly usageAdvice: ReadonlyArray<{ readonly kind: string, readonly endpoint: string, readonly endpointId: string, readonly version: number, readonly detail: string, readonly key: { readonly id: string } | null }> | null };

export type VersionPartsFragment = { readonly id: string, readonly version: number, readonly isActive: boolean, readonly isMaterialized: boolean, readonly versionCreatedAt: string, readonly query: unknown, readonly versionCreatedBy: { readonly email: string, readonly firstName: string } | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string }>, readonly variables: ReadonlyArray<{ readonly name: string, readonly type: string, readonly required: boolean, readonly default: unknown, readonly description: string }> };

export type VersionsQueryVariables = Exact<{
  projectId: string | number;
  name: string;
  first: number;
  after?: string | null | undefined;
}>;


export type VersionsQuery = { readonly endpointVersions: { readonly totalCount: number, readonly pageInfo: { readonly endCursor: string | null, readonly hasNextPage: boolean }, readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly version: number, readonly isActive: boolean, readonly isMaterialized: boolean, readonly versionCreatedAt: string, readonly query: unknown, readonly versionCreatedBy: { readonly email: string, readonly firstName: string } | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string }>, readonly variables: ReadonlyArray<{ readonly name: string, readonly type: string, readonly required: boolean, readonly default: unknown, readonly description: string }> } }> } | null };

export type OneVersionQueryVariables = Exact<{
  projectId: string | number;
  name: string;
  version: number;
}>;


export type OneVersionQuery = { readonly endpointVersion: { readonly id: string, readonly version: number, readonly isActive: boolean, readonly isMaterialized: boolean, readonly versionCreatedAt: string, readonly query: unknown, readonly versionCreatedBy: { readonly email: string, readonly firstName: string } | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string }>, readonly variables: ReadonlyArray<{ readonly name: string, readonly type: string, readonly required: boolean, readonly default: unknown, readonly description: string }> } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const CheckPartsFragmentDoc = new TypedDocumentString(`
    fragment CheckParts on QueryCheck {
  columns {
    name
    type
  }
  variables {
    name
    type
    required
    default
    description
  }
  tables {
    name
    columns
  }
  estimatedRows
  materialization {
    canMaterialize
    reason
  }
}
    `, {"fragmentName":"CheckParts"}) as unknown as TypedDocumentString<CheckPartsFragment, unknown>;
export const MaterializationPartsFragmentDoc = new TypedDocumentString(`
    fragment MaterializationParts on MaterializationStatus {
  enabled
  status
  canMaterialize
  reason
  ready
  servedFrom
  rows
  bytes
  error
  syncFrequency
  nextSyncAt
  lastMaterializedAt
  durationSeconds
  inlineMs
  readMs
  maxStoredRows
  progress {
    percent
    rowsRead
    rowsTotal
    timeElapsed
  }
  history {
    id
    outcome
    startedAt
    endedAt
    durationSeconds
    rows
    bytes
    error
  }
}
    `, {"fragmentName":"MaterializationParts"}) as unknown as TypedDocumentString<MaterializationPartsFragment, unknown>;
export const ColumnPartsFragmentDoc = new TypedDocumentString(`
    fragment ColumnParts on Column {
  name
  type
}
    `, {"fragmentName":"ColumnParts"}) as unknown as TypedDocumentString<ColumnPartsFragment, unknown>;
export const VariablePartsFragmentDoc = new TypedDocumentString(`
    fragment VariableParts on Variable {
  name
  type
  required
  default
  description
}
    `, {"fragmentName":"VariableParts"}) as unknown as TypedDocumentString<VariablePartsFragment, unknown>;
export const VersionPartsFragmentDoc = new TypedDocumentString(`
    fragment VersionParts on EndpointVersion {
  id
  version
  isActive
  isMaterialized
  versionCreatedAt
  versionCreatedBy {
    email
    firstName
  }
  query
  columns {
    ...ColumnParts
  }
  variables {
    ...VariableParts
  }
}
    fragment ColumnParts on Column {
  name
  type
}
fragment VariableParts on Variable {
  name
  type
  required
  default
  description
}`, {"fragmentName":"VersionParts"}) as unknown as TypedDocumentString<VersionPartsFragment, unknown>;
export const KeysDocument = new TypedDocumentString(`
    query Keys($first: Int!, $after: String) {
  apiKeys(first: $first, after: $after) {
    totalCount
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        label
        prefix
        scopes
        createdAt
        expiresAt
        lastUsedAt
        revokedAt
        owner {
          email
        }
        projects {
          id
          name
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<KeysQuery, KeysQueryVariables>;
export const IssueKeyDocument = new TypedDocumentString(`
    mutation IssueKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    id
    key
  }
}
    `) as unknown as TypedDocumentString<IssueKeyMutation, IssueKeyMutationVariables>;
export const RevokeKeyDocument = new TypedDocumentString(`
    mutation RevokeKey($id: ID!) {
  revokeApiKey(id: $id)
}
    `) as unknown as TypedDocumentString<RevokeKeyMutation, RevokeKeyMutationVariables>;
export const AuditEntriesDocument = new TypedDocumentString(`
    query AuditEntries($projectId: ID, $first: Int!, $after: String, $filter: AuditFilter) {
  auditLog(projectId: $projectId, first: $first, after: $after, filter: $filter) {
    totalCount
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        at
        action
        door
        endpointName
        version
        keyId
        user {
          email
        }
        requestId
        before
        after
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AuditEntriesQuery, AuditEntriesQueryVariables>;
export const ProjectLimitsDocument = new TypedDocumentString(`
    query ProjectLimits($projectId: ID!) {
  project(id: $projectId) {
    id
    name
    createdAt
    endpointsCount
    limits {
      concurrentQueries
      queuedQueries
      executionSeconds
      memoryBytes
      resultRows
      resultBytes
    }
    ownLimits {
      concurrentQueries
      queuedQueries
      executionSeconds
      memoryBytes
      resultRows
      resultBytes
    }
  }
}
    `) as unknown as TypedDocumentString<ProjectLimitsQuery, ProjectLimitsQueryVariables>;
export const TablesDocument = new TypedDocumentString(`
    query Tables($projectId: ID!, $first: Int!, $offset: Int!, $search: String) {
  tables(projectId: $projectId, first: $first, offset: $offset, search: $search) {
    totalCount
    results {
      name
      comment
      rows
      bytes
      columns {
        name
        type
        comment
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TablesQuery, TablesQueryVariables>;
export const TableRowsDocument = new TypedDocumentString(`
    query TableRows($projectId: ID!, $name: String!) {
  table(projectId: $projectId, name: $name) {
    name
    comment
    rows
    bytes
    columns {
      name
      type
      comment
    }
    firstRows(first: 50) {
      types
      results
    }
  }
}
    `) as unknown as TypedDocumentString<TableRowsQuery, TableRowsQueryVariables>;
export const TableHeadDocument = new TypedDocumentString(`
    query TableHead($projectId: ID!, $name: String!) {
  table(projectId: $projectId, name: $name) {
    name
    rows
    columns {
      name
      type
    }
  }
}
    `) as unknown as TypedDocumentString<TableHeadQuery, TableHeadQueryVariables>;
export const TableReadersDocument = new TypedDocumentString(`
    query TableReaders($projectId: ID!, $name: String!, $offset: Int!) {
  table(projectId: $projectId, name: $name) {
    readers(offset: $offset) {
      results {
        name
        version
        isCurrent
        columns
      }
      nextOffset
    }
  }
}
    `) as unknown as TypedDocumentString<TableReadersQuery, TableReadersQueryVariables>;
export const CheckUnsavedDocument = new TypedDocumentString(`
    query CheckUnsaved($projectId: ID!, $query: JSON!) {
  checkQuery(projectId: $projectId, query: $query) {
    ...CheckParts
  }
}
    fragment CheckParts on QueryCheck {
  columns {
    name
    type
  }
  variables {
    name
    type
    required
    default
    description
  }
  tables {
    name
    columns
  }
  estimatedRows
  materialization {
    canMaterialize
    reason
  }
}`) as unknown as TypedDocumentString<CheckUnsavedQuery, CheckUnsavedQueryVariables>;
export const CreateEndpointDocument = new TypedDocumentString(`
    mutation CreateEndpoint($projectId: ID!, $input: CreateEndpointInput!) {
  createEndpoint(projectId: $projectId, input: $input) {
    id
    name
    currentVersion
  }
}
    `) as unknown as TypedDocumentString<CreateEndpointMutation, CreateEndpointMutationVariables>;
export const UpdateEndpointDocument = new TypedDocumentString(`
    mutation UpdateEndpoint($projectId: ID!, $name: String!, $input: UpdateEndpointInput!, $ifMatch: [String!]) {
  updateEndpoint(
    projectId: $projectId
    name: $name
    input: $input
    ifMatch: $ifMatch
  ) {
    id
    name
    currentVersion
    graphChanges {
      kind
      place
      message
    }
    check {
      ...CheckParts
    }
  }
}
    fragment CheckParts on QueryCheck {
  columns {
    name
    type
  }
  variables {
    name
    type
    required
    default
    description
  }
  tables {
    name
    columns
  }
  estimatedRows
  materialization {
    canMaterialize
    reason
  }
}`) as unknown as TypedDocumentString<UpdateEndpointMutation, UpdateEndpointMutationVariables>;
export const ExplainUnsavedDocument = new TypedDocumentString(`
    query ExplainUnsaved($projectId: ID!, $query: JSON!, $input: RunInput) {
  checkQuery(projectId: $projectId, query: $query, input: $input) {
    plan {
      reads {
        table
        rows
        parts
        granules
      }
      steps {
        depth
        name
        description
        indexes {
          kind
          keys
          condition
          parts
          partsBefore
          granules
          granulesBefore
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ExplainUnsavedQuery, ExplainUnsavedQueryVariables>;
export const EndpointsDocument = new TypedDocumentString(`
    query Endpoints($projectId: ID!, $first: Int!, $offset: Int!, $filter: EndpointFilter) {
  endpoints(
    projectId: $projectId
    first: $first
    offset: $offset
    filter: $filter
  ) {
    totalCount
    edges {
      node {
        id
        name
        description
        tags
        isActive
        isMaterialized
        currentVersion
        lastExecutedAt
        latestExecution {
          id
          error
        }
        materialization {
          status
          ready
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<EndpointsQuery, EndpointsQueryVariables>;
export const EndpointHeadDocument = new TypedDocumentString(`
    query EndpointHead($projectId: ID!, $name: String!) {
  endpoint(projectId: $projectId, name: $name) {
    id
    name
    description
    tags
    isActive
    isMaterialized
    syncFrequency
    cacheAgeSeconds
    currentVersion
    versionsCount
    revision
    url
    graphqlName
    updatedAt
    createdBy {
      email
      firstName
    }
    query
    columns {
      ...ColumnParts
    }
    variables {
      ...VariableParts
    }
  }
}
    fragment ColumnParts on Column {
  name
  type
}
fragment VariableParts on Variable {
  name
  type
  required
  default
  description
}`) as unknown as TypedDocumentString<EndpointHeadQuery, EndpointHeadQueryVariables>;
export const VersionHeadDocument = new TypedDocumentString(`
    query VersionHead($projectId: ID!, $name: String!, $version: Int!) {
  endpointVersion(projectId: $projectId, name: $name, version: $version) {
    id
    version
    isActive
    isMaterialized
    query
    columns {
      ...ColumnParts
    }
    variables {
      ...VariableParts
    }
  }
}
    fragment ColumnParts on Column {
  name
  type
}
fragment VariableParts on Variable {
  name
  type
  required
  default
  description
}`) as unknown as TypedDocumentString<VersionHeadQuery, VersionHeadQueryVariables>;
export const UsageOfRowsDocument = new TypedDocumentString(`
    query UsageOfRows($projectId: ID!, $endpointIds: [ID!]!) {
  byHour: usage(
    projectId: $projectId
    step: "hour"
    groupBy: ["endpoint"]
    filter: {endpointIds: $endpointIds}
  ) {
    from
    to
    results {
      at
      endpointId
      runs
      errors
    }
  }
  whole: usage(
    projectId: $projectId
    step: "all"
    groupBy: ["endpoint"]
    filter: {endpointIds: $endpointIds}
  ) {
    results {
      endpointId
      runs
      errors
      p95Ms
    }
  }
}
    `) as unknown as TypedDocumentString<UsageOfRowsQuery, UsageOfRowsQueryVariables>;
export const ServiceHealthDocument = new TypedDocumentString(`
    query ServiceHealth {
  health {
    incomplete
    syncs {
      enabled
      due
      running
      failed
    }
    processes {
      id
      isThis
      isSilent
      isDraining
      seenAt
      startedAt
      host
      pid
      version
      memoryBytes
      connections
      liveStreams
      processorTimeProblem
      queues {
        name
        running
        waiting
        maxRunning
        maxWaiting
      }
      cache {
        entries
        bytes
        maxBytes
        hits
        misses
        evictions
      }
      backends {
        name
        isUp
        latencyMs
        awaySince
      }
      engines {
        address
        isUp
        version
        uptimeSeconds
        memoryBytes
        runningQueries
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ServiceHealthQuery, ServiceHealthQueryVariables>;
export const MaterializationDocument = new TypedDocumentString(`
    query Materialization($projectId: ID!, $name: String!) {
  materializationStatus(projectId: $projectId, name: $name) {
    ...MaterializationParts
  }
}
    fragment MaterializationParts on MaterializationStatus {
  enabled
  status
  canMaterialize
  reason
  ready
  servedFrom
  rows
  bytes
  error
  syncFrequency
  nextSyncAt
  lastMaterializedAt
  durationSeconds
  inlineMs
  readMs
  maxStoredRows
  progress {
    percent
    rowsRead
    rowsTotal
    timeElapsed
  }
  history {
    id
    outcome
    startedAt
    endedAt
    durationSeconds
    rows
    bytes
    error
  }
}`) as unknown as TypedDocumentString<MaterializationQuery, MaterializationQueryVariables>;
export const MaterializationPreviewDocument = new TypedDocumentString(`
    query MaterializationPreview($projectId: ID!, $name: String!) {
  materializationPreview(projectId: $projectId, name: $name) {
    canMaterialize
    reason
    storedQuery
    readQuery
    sortingKey
    maxStoredRows
    expected {
      rows
      bytes
      exact
    }
    gain {
      inlineMs
      expectedReadMs
      expectedGain
      advice
      alternative {
        expression
        insteadOf
        rows
        expectedGain
      }
    }
    tiedRows {
      detail
      tieBreaker
      query
    }
    variables {
      variable
      condition
      column
    }
  }
}
    `) as unknown as TypedDocumentString<MaterializationPreviewQuery, MaterializationPreviewQueryVariables>;
export const SyncNowDocument = new TypedDocumentString(`
    mutation SyncNow($projectId: ID!, $name: String!) {
  syncMaterialization(projectId: $projectId, name: $name) {
    ...MaterializationParts
  }
}
    fragment MaterializationParts on MaterializationStatus {
  enabled
  status
  canMaterialize
  reason
  ready
  servedFrom
  rows
  bytes
  error
  syncFrequency
  nextSyncAt
  lastMaterializedAt
  durationSeconds
  inlineMs
  readMs
  maxStoredRows
  progress {
    percent
    rowsRead
    rowsTotal
    timeElapsed
  }
  history {
    id
    outcome
    startedAt
    endedAt
    durationSeconds
    rows
    bytes
    error
  }
}`) as unknown as TypedDocumentString<SyncNowMutation, SyncNowMutationVariables>;
export const CancelSyncDocument = new TypedDocumentString(`
    mutation CancelSync($projectId: ID!, $name: String!) {
  cancelSync(projectId: $projectId, name: $name) {
    ...MaterializationParts
  }
}
    fragment MaterializationParts on MaterializationStatus {
  enabled
  status
  canMaterialize
  reason
  ready
  servedFrom
  rows
  bytes
  error
  syncFrequency
  nextSyncAt
  lastMaterializedAt
  durationSeconds
  inlineMs
  readMs
  maxStoredRows
  progress {
    percent
    rowsRead
    rowsTotal
    timeElapsed
  }
  history {
    id
    outcome
    startedAt
    endedAt
    durationSeconds
    rows
    bytes
    error
  }
}`) as unknown as TypedDocumentString<CancelSyncMutation, CancelSyncMutationVariables>;
export const RunEndpointDocument = new TypedDocumentString(`
    query RunEndpoint($projectId: ID!, $name: String!, $input: RunInput) {
  runEndpoint(projectId: $projectId, name: $name, input: $input) {
    results
    types
    hasMore
    limit
    isCached
    isStale
    lastRefresh
    cacheTargetAge
    executionId
    servedFrom
    inlineReason
    endpointVersion
    endpointMaterialized
    endpointMaterializedAt
    query
    timings {
      name
      seconds
    }
    queryProgress {
      rowsRead
      bytesRead
      timeElapsed
      activeCpuTime
    }
  }
}
    `) as unknown as TypedDocumentString<RunEndpointQuery, RunEndpointQueryVariables>;
export const RunUnsavedDocument = new TypedDocumentString(`
    query RunUnsaved($projectId: ID!, $query: JSON!, $input: RunInput) {
  runQuery(projectId: $projectId, query: $query, input: $input) {
    results
    types
    hasMore
    limit
    isCached
    isStale
    lastRefresh
    cacheTargetAge
    executionId
    servedFrom
    inlineReason
    query
    timings {
      name
      seconds
    }
    queryProgress {
      rowsRead
      bytesRead
      timeElapsed
      activeCpuTime
    }
  }
}
    `) as unknown as TypedDocumentString<RunUnsavedQuery, RunUnsavedQueryVariables>;
export const RunProgressDocument = new TypedDocumentString(`
    query RunProgress($projectId: ID!, $id: ID!) {
  queryStatus(projectId: $projectId, id: $id) {
    id
    complete
    queryProgress {
      rowsRead
      estimatedRowsTotal
      bytesRead
      timeElapsed
    }
  }
}
    `) as unknown as TypedDocumentString<RunProgressQuery, RunProgressQueryVariables>;
export const OptionsOfEndpointDocument = new TypedDocumentString(`
    query OptionsOfEndpoint($projectId: ID!, $name: String!, $input: RunInput) {
  runEndpoint(projectId: $projectId, name: $name, input: $input) {
    results
    columns
    hasMore
  }
}
    `) as unknown as TypedDocumentString<OptionsOfEndpointQuery, OptionsOfEndpointQueryVariables>;
export const CurrentKeyDocument = new TypedDocumentString(`
    query CurrentKey {
  currentKey {
    id
    label
    prefix
    scopes
    expiresAt
    owner {
      email
      firstName
    }
    projects {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<CurrentKeyQuery, CurrentKeyQueryVariables>;
export const ProjectNameDocument = new TypedDocumentString(`
    query ProjectName($projectId: ID!) {
  project(id: $projectId) {
    id
    name
    endpointsCount
  }
}
    `) as unknown as TypedDocumentString<ProjectNameQuery, ProjectNameQueryVariables>;
export const UsageOverTimeDocument = new TypedDocumentString(`
    query UsageOverTime($projectId: ID!, $from: DateTime, $step: String!, $filter: UsageFilter) {
  usage(projectId: $projectId, from: $from, step: $step, filter: $filter) {
    from
    to
    total {
      runs
      errors
      errorsByCode {
        code
        runs
      }
      executions
      rowsRead
      engineSeconds
      processorSeconds
      measuredExecutions
      p50Ms
      p95Ms
      p99Ms
    }
    results {
      at
      runs
      errors
      p95Ms
    }
  }
}
    `) as unknown as TypedDocumentString<UsageOverTimeQuery, UsageOverTimeQueryVariables>;
export const UsageByGroupDocument = new TypedDocumentString(`
    query UsageByGroup($projectId: ID!, $from: DateTime, $groupBy: [String!]!, $filter: UsageFilter) {
  usage(
    projectId: $projectId
    from: $from
    step: "all"
    groupBy: $groupBy
    filter: $filter
  ) {
    results {
      endpoint
      endpointId
      version
      key {
        id
        label
        prefix
      }
      interface
      path
      outcome
      runs
      errors
      p50Ms
      p95Ms
      rowsRead
      engineSeconds
      processorSeconds
    }
  }
}
    `) as unknown as TypedDocumentString<UsageByGroupQuery, UsageByGroupQueryVariables>;
export const ListedExecutionsDocument = new TypedDocumentString(`
    query ListedExecutions($projectId: ID!, $name: String, $order: String!, $filter: ExecutionFilter, $first: Int!) {
  executions(
    projectId: $projectId
    name: $name
    order: $order
    filter: $filter
    first: $first
  ) {
    totalCount
    entries {
      id
      endpoint
      version
      interface
      startedAt
      durationSeconds
      servedFrom
      rowsRead
      processorSeconds
      variables
      inlineReason
      cacheReason
      errorCode
      errorMessage
    }
  }
}
    `) as unknown as TypedDocumentString<ListedExecutionsQuery, ListedExecutionsQueryVariables>;
export const ProjectAdviceDocument = new TypedDocumentString(`
    query ProjectAdvice($projectId: ID!) {
  usageAdvice(projectId: $projectId) {
    kind
    endpoint
    endpointId
    version
    key {
      id
    }
    detail
  }
}
    `) as unknown as TypedDocumentString<ProjectAdviceQuery, ProjectAdviceQueryVariables>;
export const VersionsDocument = new TypedDocumentString(`
    query Versions($projectId: ID!, $name: String!, $first: Int!, $after: String) {
  endpointVersions(
    projectId: $projectId
    name: $name
    first: $first
    after: $after
  ) {
    totalCount
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        ...VersionParts
      }
    }
  }
}
    fragment ColumnParts on Column {
  name
  type
}
fragment VariableParts on Variable {
  name
  type
  required
  default
  description
}
fragment VersionParts on EndpointVersion {
  id
  version
  isActive
  isMaterialized
  versionCreatedAt
  versionCreatedBy {
    email
    firstName
  }
  query
  columns {
    ...ColumnParts
  }
  variables {
    ...VariableParts
  }
}`) as unknown as TypedDocumentString<VersionsQuery, VersionsQueryVariables>;
export const OneVersionDocument = new TypedDocumentString(`
    query OneVersion($projectId: ID!, $name: String!, $version: Int!) {
  endpointVersion(projectId: $projectId, name: $name, version: $version) {
    ...VersionParts
  }
}
    fragment ColumnParts on Column {
  name
  type
}
fragment VariableParts on Variable {
  name
  type
  required
  default
  description
}
fragment VersionParts on EndpointVersion {
  id
  version
  isActive
  isMaterialized
  versionCreatedAt
  versionCreatedBy {
    email
    firstName
  }
  query
  columns {
    ...ColumnParts
  }
  variables {
    ...VariableParts
  }
}`) as unknown as TypedDocumentString<OneVersionQuery, OneVersionQueryVariables>;
