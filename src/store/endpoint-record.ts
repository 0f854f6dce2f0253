/** Endpoints and versions as the rest of the service sees them, and the queries that read them. */
import type { Prisma } from '../generated/prisma/client.ts';
import type { MaterializationPlan } from '../model/materialization-plan.ts';
import type { MaterializationFacts } from '../model/materialization-state.ts';
import { type LimitOverrides, readLimits } from '../model/query-limits.ts';
import { isRowNumber, isText } from './column-range.ts';

export interface MaterializationRecord extends MaterializationFacts {
  readonly id: string;
  readonly error: string | null;
  /** Maximum rows of the stored table; null for the server's default. */
  readonly maxRows: number | null;
  readonly nextSyncAt: Date | null;
  readonly rowCount: bigint | null;
  readonly byteCount: bigint | null;
}

export interface ColumnRecord {
  readonly name: string;
  readonly type: string;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export interface VersionRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly version: number;
  readonly description: string;
  /** The canonical query: {kind, query, variables}. */
  readonly query: JsonObject;
  /** Columns from the engine's latest description. */
  readonly columns: readonly ColumnRecord[];
  /** Incremented each time a new description changed the columns. */
  readonly columnsRevision: number;
  readonly variables: readonly JsonObject[];
  /** Null for the server's default. */
  readonly cacheAgeSeconds: number | null;
  readonly isActive: boolean;
  /** Since when it is refused, because it overran its limit and could not be stopped; null when it is not refused. */
  readonly refusedAt: Date | null;
  readonly createdById: number | null;
  readonly createdAt: Date;
  readonly materialization: MaterializationRecord;
}

export interface EndpointRecord {
  readonly id: string;
  readonly projectId: number;
  readonly name: string;
  /** Name of its data graph field, unique in the project. */
  readonly graphqlName: string;
  readonly isActive: boolean;
  readonly derivedFromInsight: string | null;
  /** Its labels, sorted and unique. */
  readonly tags: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastExecutedAt: Date | null;
  readonly createdById: number | null;
  /** The project's own limits. */
  readonly projectLimits: LimitOverrides;
  /** The project's data revision: incremented by each load, so that older results are not served after it. */
  readonly dataRevision: number;
  /** The project's setting whether executions are recorded with the values of their variables. */
  readonly recordsValues: boolean;
  /** The version with the highest number. */
  readonly currentVersion: VersionRecord;
}

/** A version, which may be the current one, with its endpoint. */
export interface VersionOfEndpoint {
  readonly endpoint: EndpointRecord;
  readonly version: VersionRecord;
}

const versionSelect = {
  id: true,
  endpointId: true,
  version: true,
  description: true,
  query: true,
  columns: true,
  columnsRevision: true,
  variables: true,
  cacheAgeSeconds: true,
  isActive: true,
  refusedAt: true,
  createdById: true,
  createdAt: true,
  materialization: {
    select: {
      id: true,
      enabled: true,
      syncFrequency: true,
      maxRows: true,
      plan: true,
      reason: true,
      tableName: true,
      lastMaterializedAt: true,
      lastFailedAt: true,
      cancelledAt: true,
      settingsChangedAt: true,
      readMs: true,
      inlineMs: true,
      attempts: true,
      claimedUntil: true,
      error: true,
      nextSyncAt: true,
      rowCount: true,
      byteCount: true,
    },
  },
} as const satisfies Prisma.EndpointVersionSelect;

const endpointSelect = {
  id: true,
  projectId: true,
  name: true,
  graphqlName: true,
  isActive: true,
  derivedFromInsight: true,
  tags: true,
  createdAt: true,
  updatedAt: true,
  lastExecutedAt: true,
  createdById: true,
  project: { select: { limits: true, dataRevision: true, recordsValues: true } },
  currentVersion: { select: versionSelect },
} as const satisfies Prisma.EndpointSelect;

type VersionRow = Prisma.EndpointVersionGetPayload<{ select: typeof versionSelect }>;
type EndpointRow = Prisma.EndpointGetPayload<{ select: typeof endpointSelect }>;

/** Only this store writes the rows, so their JSON has these shapes. */
function toVersionRecord(row: VersionRow): VersionRecord {
  const { materialization } = row;
  if (materialization === null) throw new Error(`version ${row.id} has no materialization row`);
  return {
    ...row,
    query: row.query as JsonObject,
    columns: row.columns as unknown as readonly ColumnRecord[],
    variables: row.variables as unknown as readonly JsonObject[],
    materialization: {
      ...materialization,
      plan: materialization.plan as unknown as MaterializationPlan | null,
    },
  };
}

function toEndpointRecord({ project, ...row }: EndpointRow): EndpointRecord {
  if (row.currentVersion === null) throw new Error(`endpoint ${row.id} has no current version`);
  const projectLimits = readLimits(project.limits);
  const { dataRevision, recordsValues } = project;
  const currentVersion = toVersionRecord(row.currentVersion);
  return { ...row, projectLimits, dataRevision, recordsValues, currentVersion };
}

/** Reads it with its current version and that version's materialization, in one statement. */
export async function findEndpoint(
  db: Prisma.TransactionClient,
  projectId: number,
  name: string,
): Promise<EndpointRecord | null> {
  if (!isRowNumber(projectId) || !isText(name)) return null;
  return findWhere(db, { projectId_name: { projectId, name } });
}

/** Finds it by the name of its data graph field. */
export async function findByField(
  db: Prisma.TransactionClient,
  projectId: number,
  graphqlName: string,
): Promise<EndpointRecord | null> {
  if (!isRowNumber(projectId) || !isText(graphqlName)) return null;
  return findWhere(db, { projectId_graphqlName: { projectId, graphqlName } });
}

async function findWhere(
  db: Prisma.TransactionClient,
  where: Prisma.EndpointWhereUniqueInput,
): Promise<EndpointRecord | null> {
  const row = await db.endpoint.findUnique({ where, select: endpointSelect });
  return row === null ? null : toEndpointRecord(row);
}

/** Reads it with its materialization, in one statement. */
export async function findVersion(
  db: Prisma.TransactionClient,
  endpointId: string,
  version: number,
): Promise<VersionRecord | null> {
  if (!isRowNumber(version)) return null;
  const row = await db.endpointVersion.findUnique({
    where: { endpointId_version: { endpointId, version } },
    select: versionSelect,
  });
  return row === null ? null : toVersionRecord(row);
}
