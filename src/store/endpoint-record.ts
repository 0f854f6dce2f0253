/** Endpoints and versions as the rest of the service sees them, and how they are read from the database. */
import type { Prisma } from '../generated/prisma/client.ts';
import type { MaterializationPlan } from '../model/materialization-plan.ts';
import type { MaterializationFacts } from '../model/materialization-state.ts';
import { type LimitOverrides, readLimits } from '../model/query-limits.ts';
import { isRowNumber, isText } from './column-range.ts';

export interface MaterializationRecord extends MaterializationFacts {
  readonly id: string;
  readonly error: string | null;
  /** Rows that the stored table may have; null: the server's default. */
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
  /** As the engine described them last. */
  readonly columns: readonly ColumnRecord[];
  /** One more each time they were described anew as others. */
  readonly columnsRevision: number;
  readonly variables: readonly JsonObject[];
  /** Null: the server's default. */
  readonly cacheAgeSeconds: number | null;
  readonly isActive: boolean;
  /** Since when it is refused, because it went on past its time and could not be stopped; null: it is not. */
  readonly refusedAt: Date | null;
  readonly createdById: number | null;
  readonly createdAt: Date;
  readonly materialization: MaterializationRecord;
}

export interface EndpointRecord {
  readonly id: string;
  readonly projectId: number;
  readonly name: string;
  /** Of its field in the data graph, unique in the project. */
  readonly graphqlName: string;
  readonly isActive: boolean;
  readonly derivedFromInsight: string | null;
  /** Its labels, sorted, each once. */
  readonly tags: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastExecutedAt: Date | null;
  readonly createdById: number | null;
  /** Of its project, of its own. */
  readonly projectLimits: LimitOverrides;
  /** Of its project: one more after each load, so results from before it are not served after it. */
  readonly dataRevision: number;
  /** Of its project: whether executions are recorded with the values of their variables. */
  readonly recordsValues: boolean;
  /** The version with the highest number. */
  readonly currentVersion: VersionRecord;
}

/** One version, which may be the current one, with its endpoint. */
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

/** With its current version and that one's materialization, in one statement. */
export async function findEndpoint(
  db: Prisma.TransactionClient,
  projectId: number,
  name: string,
): Promise<EndpointRecord | null> {
  if (!isRowNumber(projectId) || !isText(name)) return null;
  const row = await db.endpoint.findUnique({
    where: { projectId_name: { projectId, name } },
    select: endpointSelect,
  });
  return row === null ? null : toEndpointRecord(row);
}

/** By the name of its field in the data graph. */
export async function findByField(
  db: Prisma.TransactionClient,
  projectId: number,
  graphqlName: string,
): Promise<EndpointRecord | null> {
  if (!isRowNumber(projectId) || !isText(graphqlName)) return null;
  const row = await db.endpoint.findUnique({
    where: { projectId_graphqlName: { projectId, graphqlName } },
    select: endpointSelect,
  });
  return row === null ? null : toEndpointRecord(row);
}

/** With its materialization, in one statement. */
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
