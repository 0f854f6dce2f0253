/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Conditions for a list of entries, all of which must hold. */
export type AuditFilter = {
  /** Only entries with this action, for example endpoint.update. */
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
  /** When the key expires; never if absent or null. */
  readonly expiresAt?: string | null | undefined;
  /** Label: what the key is for. */
  readonly label: string;
  /** Limits of the key itself. They must not exceed those of any of its projects. */
  readonly limits?: LimitsInput | null | undefined;
  /** Ids of the projects that the key has access to. */
  readonly projectIds: ReadonlyArray<number>;
  /** Scopes: endpoint:read, endpoint:write (implies read), data:write (loads rows only), admin (implies all). */
  readonly scopes: ReadonlyArray<string>;
};

/** A new endpoint. */
export type CreateEndpointInput = {
  /** Seconds for which a result is fresh, 0 to 86400; null: the server's default. */
  readonly cacheAgeSeconds?: number | null | undefined;
  /** Maximum age of the stored table in seconds, 900 to 604800, as an alternative to syncFrequency: selects the longest cadence that does not exceed it. If both are given they must agree. */
  readonly dataFreshnessSeconds?: number | null | undefined;
  /** Short id of the insight it is derived from. */
  readonly derivedFromInsight?: string | null | undefined;
  /** Description. In an update null changes nothing and "" clears it. */
  readonly description?: string | null | undefined;
  /** Whether to validate the request without writing anything. Returns the object that would result; its ids belong to no stored object. */
  readonly dryRun?: boolean | null | undefined;
  /** Name of its field in the data graph: a lowercase letter, then up to 127 letters, digits or underscores. Default for a new endpoint: its name in camelCase, with _2, _3 and so on if that is taken. In an update, null changes nothing. */
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
  /** Labels that replace the existing ones, at most 20; null changes nothing. */
  readonly tags?: ReadonlyArray<string> | null | undefined;
  /** Must be absent, null or 1, because a new endpoint starts at version 1. */
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

/** Conditions for a log of executions, all of which must hold. */
export type ExecutionFilter = {
  /** Only executions that started after this time. */
  readonly after?: string | null | undefined;
  /** Only executions that started before this time. */
  readonly before?: string | null | undefined;
  /** Only the execution with this id. */
  readonly instanceId?: string | number | null | undefined;
  /** Only executions requested through this interface: rest or graphql. */
  readonly interface?: string | null | undefined;
  /** Only executions with one of these levels, separated by commas: INFO, ERROR. DEBUG, LOG and WARN are accepted; no execution has them. */
  readonly level?: string | null | undefined;
  /** Only executions that took at least this many milliseconds. */
  readonly minMs?: number | null | undefined;
  /** Only executions whose message contains this text. */
  readonly search?: string | null | undefined;
  /** Only executions with this status: running, completed or failed. */
  readonly status?: string | null | undefined;
  /** Only executions of this version. */
  readonly version?: number | null | undefined;
};

/** How a change breaks callers of the data graph. */
export type GraphChangeKind =
  /** An argument was removed. */
  | 'argument_removed'
  /** An argument is now required. */
  | 'argument_required'
  /** The type of an argument changed. */
  | 'argument_type_changed'
  /** A field of the rows was removed. */
  | 'field_removed'
  /** The field of the endpoint was renamed. */
  | 'field_renamed'
  /** The type of a field of the rows changed. */
  | 'field_type_changed'
  /** An argument no longer accepts one of its values. */
  | 'value_removed';

/** Encoding of 64-bit integers in results. */
export type IntegerFormat =
  /** JSON numbers with every digit. */
  | 'number'
  /** Strings of digits, for clients whose numbers are doubles. */
  | 'string';

/** Limits to set. None may exceed the limit that applies without it. */
export type LimitsInput = {
  /** Maximum number of concurrent queries on source data, and of concurrent reads of stored tables. */
  readonly concurrentQueries?: number | null | undefined;
  /** Maximum execution time of a query in seconds. */
  readonly executionSeconds?: number | null | undefined;
  /** Maximum memory of a query in bytes. */
  readonly memoryBytes?: number | null | undefined;
  /** Maximum number of runs waiting for a slot. */
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
  /** Bypass both the result cache and the stored table, and query the source data. */
  | 'direct'
  /** Bypass the result cache; a stored table may still serve the run. */
  | 'force';

/** Representation of rows: arrays in column order, or objects keyed by column name. */
export type RowForm =
  /** Each row is an array of values in column order. */
  | 'ARRAYS'
  /** Each row is an object keyed by column name. */
  | 'OBJECTS';

/** Options of one run, all optional. */
export type RunInput = {
  /** An id of your choice by which the run can be found or cancelled. */
  readonly clientQueryId?: string | null | undefined;
  /** Names of the columns to return, in this order; default: all. */
  readonly columns?: ReadonlyArray<string> | null | undefined;
  /** Start of the page: nextCursor of the previous page, or an empty string for the first page. Cannot be combined with offset. */
  readonly cursor?: string | null | undefined;
  /** Whether to include the executed SQL, timings and how the run was served. */
  readonly debug?: boolean | null | undefined;
  /** {date_from, date_to, properties} for a query with {filters}. */
  readonly filtersOverride?: unknown;
  /** Encoding of 64-bit integers; default: number. */
  readonly integers?: IntegerFormat | null | undefined;
  /** Maximum number of rows. The LIMIT of the query and the limit of the server still apply. */
  readonly limit?: number | null | undefined;
  /** Maximum age of the rows in seconds, 0 or more. Can shorten the cache age of the version but not extend it. */
  readonly maxAgeSeconds?: number | null | undefined;
  /** Number of rows to skip. */
  readonly offset?: number | null | undefined;
  /** Names of result columns by which to sort the rows; a leading - means descending. */
  readonly orderBy?: ReadonlyArray<string> | null | undefined;
  /** Not supported for SQL endpoints: must be null or absent. */
  readonly queryOverride?: unknown;
  /** Cache policy; default: cache. */
  readonly refresh?: RefreshMode | null | undefined;
  /** Representation of rows; default: ARRAYS. OBJECTS requires distinct column names. */
  readonly rows?: RowForm | null | undefined;
  /** Seconds beyond the maximum age for which a stale result may be returned while the engine is unavailable. */
  readonly staleIfErrorSeconds?: number | null | undefined;
  /** Seconds beyond the maximum age for which a stale result may be returned immediately while a background run refreshes it. */
  readonly staleWhileRevalidateSeconds?: number | null | undefined;
  /** Values by variable name, as a JSON object. */
  readonly variables?: unknown;
  /** Version to run; default: the current version. */
  readonly version?: number | null | undefined;
};

/** Changes to an endpoint. Absent members remain unchanged. */
export type UpdateEndpointInput = {
  /** Seconds for which a result is fresh, 0 to 86400; null: the server's default. */
  readonly cacheAgeSeconds?: number | null | undefined;
  /** Maximum age of the stored table in seconds, 900 to 604800, as an alternative to syncFrequency: selects the longest cadence that does not exceed it. If both are given they must agree. */
  readonly dataFreshnessSeconds?: number | null | undefined;
  /** Accepted for compatibility; never changes. */
  readonly derivedFromInsight?: string | null | undefined;
  /** Description. In an update null changes nothing and "" clears it. */
  readonly description?: string | null | undefined;
  /** Whether to validate the request without writing anything. Returns the object that would result; its ids belong to no stored object. */
  readonly dryRun?: boolean | null | undefined;
  /** Name of its field in the data graph: a lowercase letter, then up to 127 letters, digits or underscores. Default for a new endpoint: its name in camelCase, with _2, _3 and so on if that is taken. In an update, null changes nothing. */
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
  /** Labels that replace the existing ones, at most 20; null changes nothing. */
  readonly tags?: ReadonlyArray<string> | null | undefined;
};

/** Conditions for the runs that are counted, all of which must hold. */
export type UsageFilter = {
  /** Only runs of endpoints with this name, deleted ones included. */
  readonly endpoint?: string | null | undefined;
  /** Only those of the endpoints of these ids, 1 to 100. */
  readonly endpointIds?: ReadonlyArray<string | number> | null | undefined;
  /** Only runs requested through rest, graphql or live. */
  readonly interface?: string | null | undefined;
  /** Only runs with the key of this id. */
  readonly key?: string | number | null | undefined;
  /** Only runs with this outcome: ok, or an error code. */
  readonly outcome?: string | null | undefined;
  /** Only runs served from this path: cache, inline or materialized, or none if they were refused. */
  readonly path?: string | null | undefined;
  /** Only executions of this version. */
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
  orderBy?: ReadonlyArray<string> | string | null | undefined;
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

export type FunctionsQueryVariables = Exact<{
  projectId: string | number;
  first: number;
  offset: number;
}>;


export type FunctionsQuery = { readonly functions: { readonly totalCount: number, readonly results: ReadonlyArray<{ readonly name: string, readonly syntax: string, readonly description: string, readonly aliasOf: string | null }> } | null };

export type CheckPartsFragment = { readonly estimatedRows: number | null, readonly columns: ReadonlyArray<{ readonly name: string, readonly type: string }>, readonly variables: ReadonlyArray<{ readonly name: string, readonly type: string, readonly required: boolean, readonly default: unknown, readonly description: string }>, readonly tables: ReadonlyArray<{ readonly name: string, readonly columns: ReadonlyArray<string> }>, readonly materialization: { readonly canMaterialize: boolean, readonly reason: string | null } };

export type CheckUnsavedQueryVariables = Exact<{
  projectId: string | number;
  query: unknown;
  input?: RunInput | null | undefined;
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

export type PlanPartsFragment = { readonly reads: ReadonlyArray<{ readonly table: string, readonly rows: number, readonly parts: number, readonly granules: number }>, readonly steps: ReadonlyArray<{ readonly depth: number, readonly name: string, readonly description: string, readonly indexes: ReadonlyArray<{ readonly kind: string, readonly keys: ReadonlyArray<string>, readonly condition: string, readonly parts: number, readonly partsBefore: number, readonly granules: number, readonly granulesBefore: number }> }> };

export type ExplainUnsavedQueryVariables = Exact<{
  projectId: string | number;
  query: unknown;
  input?: RunInput | null | undefined;
}>;


export type ExplainUnsavedQuery = { readonly checkQuery: { readonly plan: { readonly reads: ReadonlyArray<{ readonly table: string, readonly rows: number, readonly parts: number, readonly granules: number }>, readonly steps: ReadonlyArray<{ readonly depth: number, readonly name: string, readonly description: string, readonly indexes: ReadonlyArray<{ readonly kind: string, readonly keys: ReadonlyArray<string>, readonly condition: string, readonly parts: number, readonly partsBefore: number, readonly granules: number, readonly granulesBefore: number }> }> } | null } | null };

export type DeleteEndpointMutationVariables = Exact<{
  projectId: string | number;
  name: string;
  ifMatch?: ReadonlyArray<string> | string | null | undefined;
}>;


export type DeleteEndpointMutation = { readonly deleteEndpoint: boolean };

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


export type ServiceHealthQuery = { readonly health: { readonly incomplete: string | null, readonly missedTables: ReadonlyArray<{ readonly node: string, readonly project: string, readonly projectId: string, readonly table: string, readonly isUnderWay: boolean }> | null, readonly syncs: { readonly enabled: number, readonly due: number, readonly running: number, readonly failed: number } | null, readonly processes: ReadonlyArray<{ readonly id: string, readonly isThis: boolean, readonly isSilent: boolean, readonly isDraining: boolean, readonly seenAt: string, readonly startedAt: string, readonly host: string, readonly pid: number, readonly version: string, readonly memoryBytes: number, readonly connections: number, readonly liveStreams: number, readonly processorTimeProblem: string | null, readonly queues: ReadonlyArray<{ readonly name: string, readonly running: number, readonly waiting: number, readonly maxRunning: number, readonly maxWaiting: number }>, readonly cache: { readonly entries: number, readonly bytes: number, readonly maxBytes: number, readonly hits: number, readonly misses: number, readonly evictions: number }, readonly backends: ReadonlyArray<{ readonly name: string, readonly isUp: boolean, readonly latencyMs: number | null, readonly awaySince: string | null }>, readonly engines: ReadonlyArray<{ readonly address: string, readonly isUp: boolean, readonly version: string | null, readonly uptimeSeconds: number | null, readonly memoryBytes: number | null, readonly runningQueries: number | null }> }> } | null };

export type MaterializationPartsFragment = { readonly enabled: boolean, readonly status: string | null, readonly canMaterialize: boolean, readonly reason: string | null, readonly ready: boolean, readonly servedFrom: string | null, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null, readonly syncFrequency: string | null, readonly nextSyncAt: string | null, readonly lastMaterializedAt: string | null, readonly durationSeconds: number | null, readonly inlineMs: number | null, readonly readMs: number | null, readonly maxStoredRows: number | null, readonly progress: { readonly percent: number | null, readonly rowsRead: number, readonly rowsTotal: number, readonly timeElapsed: number } | null, readonly history: ReadonlyArray<{ readonly id: string, readonly outcome: string, readonly startedAt: string, readonly endedAt: string, readonly durationSeconds: number, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null }> };

export type MaterializationQueryVariables = Exact<{
  projectId: string | number;
  name: string;
}>;


export type MaterializationQuery = { readonly materializationStatus: { readonly enabled: boolean, readonly status: string | null, readonly canMaterialize: boolean, readonly reason: string | null, readonly ready: boolean, readonly servedFrom: string | null, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null, readonly syncFrequency: string | null, readonly nextSyncAt: string | null, readonly lastMaterializedAt: string | null, readonly durationSeconds: number | null, readonly inlineMs: number | null, readonly readMs: number | null, readonly maxStoredRows: number | null, readonly progress: { readonly percent: number | null, readonly rowsRead: number, readonly rowsTotal: number, readonly timeElapsed: number } | null, readonly history: ReadonlyArray<{ readonly id: string, readonly outcome: string, readonly startedAt: string, readonly endedAt: string, readonly durationSeconds: number, readonly rows: number | null, readonly bytes: number | null, readonly error: string | null }> } | null };

export type MaterializationPreviewQueryVariables = Exact<{
  projectId: string | number;
  name: string;
  version: number;
}>;


export type MaterializationPreviewQuery = { readonly materializationPreview: { readonly canMaterialize: boolean, readonly reason: string | null, readonly storedQuery: string | null, readonly readQuery: string | null, readonly sortingKey: ReadonlyArray<string>, readonly maxStoredRows: number, readonly expected: { readonly rows: number, readonly bytes: number | null, readonly exact: boolean } | null, readonly gain: { readonly inlineMs: number, readonly expectedReadMs: number, readonly expectedGain: number, readonly advice: string | null, readonly alternative: { readonly expression: string, readonly insteadOf: string, readonly rows: number, readonly expectedGain: number } | null } | null, readonly tiedRows: { readonly detail: string } | null, readonly variables: ReadonlyArray<{ readonly variable: string, readonly condition: string, readonly column: string | null }> } | null };

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

export type ReadSoFarFragment = { readonly rowsRead: number, readonly estimatedRowsTotal: number, readonly bytesRead: number, readonly timeElapsed: number };

export type RunProgressQueryVariables = Exact<{
  projectId: string | number;
  id: string | number;
}>;


export type RunProgressQuery = { readonly queryStatus: { readonly id: string, readonly complete: boolean, readonly queryProgress: { readonly rowsRead: number, readonly estimatedRowsTotal: number, readonly bytesRead: number, readonly timeElapsed: number } } | null };

export type RequestProgressQueryVariables = Exact<{
  projectId: string | number;
  requestId: string | number;
}>;


export type RequestProgressQuery = { readonly requestProgress: { readonly rowsRead: number, readonly estimatedRowsTotal: number, readonly bytesRead: number, readonly timeElapsed: number } | null };

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


export type ListedExecutionsQuery = { readonly executions: { readonly totalCount: number, readonly entries: ReadonlyArray<{ readonly id: string, readonly endpoint: string, readonly version: number, readonly interface: string, readonly startedAt: string, readonly durationSeconds: number | null, readonly servedFrom: string, readonly rowsRead: number, readonly processorSeconds: number | null, readonly variables: unknown, readonly inlineReason: string | null, readonly cacheReason: string | null, readonly errorCode: string | null, readonly errorMessage: string | null, readonly plan: { readonly reads: ReadonlyArray<{ readonly table: string, readonly rows: number, readonly parts: number, readonly granules: number }>, readonly steps: ReadonlyArray<{ readonly depth: number, readonly name: string, readonly description: string, readonly indexes: ReadonlyArray<{ readonly kind: string, readonly keys: ReadonlyArray<string>, readonly condition: string, readonly parts: number, readonly partsBefore: number, readonly granules: number, readonly granulesBefore: number }> }> } | null }> } | null };

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
export const PlanPartsFragmentDoc = new TypedDocumentString(`
    fragment PlanParts on QueryPlan {
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
    `, {"fragmentName":"PlanParts"}) as unknown as TypedDocumentString<PlanPartsFragment, unknown>;
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
export const ReadSoFarFragmentDoc = new TypedDocumentString(`
    fragment ReadSoFar on QueryProgress {
  rowsRead
  estimatedRowsTotal
  bytesRead
  timeElapsed
}
    `, {"fragmentName":"ReadSoFar"}) as unknown as TypedDocumentString<ReadSoFarFragment, unknown>;
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
    query TableRows($projectId: ID!, $name: String!, $orderBy: [String!]) {
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
    firstRows(first: 50, orderBy: $orderBy) {
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
export const FunctionsDocument = new TypedDocumentString(`
    query Functions($projectId: ID!, $first: Int!, $offset: Int!) {
  functions(projectId: $projectId, first: $first, offset: $offset) {
    totalCount
    results {
      name
      syntax
      description
      aliasOf
    }
  }
}
    `) as unknown as TypedDocumentString<FunctionsQuery, FunctionsQueryVariables>;
export const CheckUnsavedDocument = new TypedDocumentString(`
    query CheckUnsaved($projectId: ID!, $query: JSON!, $input: RunInput) {
  checkQuery(projectId: $projectId, query: $query, input: $input) {
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
      ...PlanParts
    }
  }
}
    fragment PlanParts on QueryPlan {
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
}`) as unknown as TypedDocumentString<ExplainUnsavedQuery, ExplainUnsavedQueryVariables>;
export const DeleteEndpointDocument = new TypedDocumentString(`
    mutation DeleteEndpoint($projectId: ID!, $name: String!, $ifMatch: [String!]) {
  deleteEndpoint(projectId: $projectId, name: $name, ifMatch: $ifMatch)
}
    `) as unknown as TypedDocumentString<DeleteEndpointMutation, DeleteEndpointMutationVariables>;
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
    missedTables {
      node
      project
      projectId
      table
      isUnderWay
    }
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
    query MaterializationPreview($projectId: ID!, $name: String!, $version: Int!) {
  materializationPreview(projectId: $projectId, name: $name, version: $version) {
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
      ...ReadSoFar
    }
  }
}
    fragment ReadSoFar on QueryProgress {
  rowsRead
  estimatedRowsTotal
  bytesRead
  timeElapsed
}`) as unknown as TypedDocumentString<RunProgressQuery, RunProgressQueryVariables>;
export const RequestProgressDocument = new TypedDocumentString(`
    query RequestProgress($projectId: ID!, $requestId: ID!) {
  requestProgress(projectId: $projectId, requestId: $requestId) {
    ...ReadSoFar
  }
}
    fragment ReadSoFar on QueryProgress {
  rowsRead
  estimatedRowsTotal
  bytesRead
  timeElapsed
}`) as unknown as TypedDocumentString<RequestProgressQuery, RequestProgressQueryVariables>;
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
      plan {
        ...PlanParts
      }
    }
  }
}
    fragment PlanParts on QueryPlan {
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
}`) as unknown as TypedDocumentString<ListedExecutionsQuery, ListedExecutionsQueryVariables>;
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
