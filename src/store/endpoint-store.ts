/** Saved endpoints and their versions. Every write is one transaction, is in the audit log and tells the other processes. */
import { ServiceError } from '../errors/service-error.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidv7 } from '../lib/ids.ts';
import type { Actor } from '../model/actor.ts';
import { endpointState } from './audit-endpoint.ts';
import { type AuditDraft, differences, recordAudit } from './audit-store.ts';
import { notifyChange } from './change.ts';
import {
  type EndpointRecord,
  findEndpoint,
  findVersion,
  type VersionRecord,
} from './endpoint-record.ts';
import {
  applyChange,
  type EndpointChange,
  insertVersion,
  type VersionContent,
} from './endpoint-write.ts';
import { type MaterializationSettings, retireTablesOf } from './materialization-settings.ts';
import { isUniqueViolation, translateErrors } from './prisma-errors.ts';
import { updateLastUsed } from './update-last-used.ts';

export interface EndpointDraft {
  readonly projectId: number;
  readonly name: string;
  readonly description: string;
  readonly isActive: boolean;
  readonly derivedFromInsight: string | null;
  readonly createdById: number | null;
  readonly by?: Actor | undefined;
  readonly version: VersionContent;
  readonly materialization: MaterializationSettings;
}

/** An endpoint that nobody else can change or delete until the transaction ends. */
export interface LockedEndpoint {
  readonly endpoint: EndpointRecord;
  findVersion(version: number): Promise<VersionRecord | null>;
}

export interface EndpointUpdate {
  readonly projectId: number;
  readonly name: string;
  readonly by?: Actor | undefined;
  /**
   * Decides inside the lock what changes. What it throws ends the update with nothing changed. It has 30 s and must ask
   * for records only through `locked`: another connection might be waiting for this very lock.
   */
  readonly change: (locked: LockedEndpoint) => Promise<EndpointChange> | EndpointChange;
}

export interface UpdatedEndpoint {
  readonly endpoint: EndpointRecord;
  /** The version that the change named, else the current one. */
  readonly version: VersionRecord;
}

export interface EndpointStore {
  /** With its current version; one statement. */
  findEndpoint(projectId: number, name: string): Promise<EndpointRecord | null>;
  /** One statement. */
  findVersion(endpointId: string, version: number): Promise<VersionRecord | null>;
  /** With version 1. Throws ServiceError `unique` when the name is taken. */
  createEndpoint(draft: EndpointDraft): Promise<EndpointRecord>;
  /**
   * Updates of one endpoint take turns, so no two get the same version number. Throws ServiceError `not_found`,
   * or `version_not_found` for a change of a version that does not exist.
   */
  updateEndpoint(update: EndpointUpdate): Promise<UpdatedEndpoint>;
  /** For good, with its versions; its query statuses stay, under its name. False when there was none. */
  deleteEndpoint(projectId: number, name: string, by?: Actor): Promise<boolean>;
  /** Marks a version as one that is refused, for every process; nothing when it is gone or marked already. */
  refuseVersion(versionId: string): Promise<void>;
  /** Records last executions by endpoint id, in one statement; a time never goes back. Tells nobody. */
  updateLastExecuted(times: ReadonlyMap<string, Date>): Promise<void>;
  /** By name, of those that ran at or after `since`; one statement. */
  lastExecutionTimes(
    projectId: number,
    names: readonly string[],
    since: Date,
  ): Promise<ReadonlyMap<string, Date>>;
}

interface Deps {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
}

/** Updates that come together wait for each other, and each of them waits with a connection in hand. */
const transactionLimits = { maxWait: 10_000, timeout: 30_000 } as const;

export function openEndpointStore(deps: Deps): EndpointStore {
  const { prisma } = deps;
  return translateErrors<EndpointStore>({
    findEndpoint: (projectId, name) => findEndpoint(prisma, projectId, name),
    findVersion: (endpointId, version) => findVersion(prisma, endpointId, version),
    createEndpoint: (draft) => createEndpoint(deps, draft),
    updateEndpoint: (update) => updateEndpoint(deps, update),
    deleteEndpoint: (projectId, name, by) => deleteEndpoint(deps, { projectId, name, by }),
    refuseVersion: (versionId) => refuseVersion(deps, versionId),
    updateLastExecuted: (times) => updateLastUsed(prisma, 'endpoint', times),
    lastExecutionTimes: (projectId, names, since) =>
      lastExecutionTimes(prisma, { projectId, names, since }),
  });
}

async function createEndpoint(deps: Deps, draft: EndpointDraft): Promise<EndpointRecord> {
  try {
    return await deps.prisma.$transaction((tx) => insertEndpoint(tx, draft, deps.clock.now()), {
      ...transactionLimits,
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'endpoint_project_id_name_key')) throw error;
    throw new ServiceError(
      'unique',
      `An endpoint named "${draft.name}" already exists in this project. Choose another name.`,
      { attr: 'name', cause: error },
    );
  }
}

function auditEndpoint(
  tx: Prisma.TransactionClient,
  { projectId, name: endpointName }: EndpointRecord,
  told: Omit<AuditDraft, 'projectId' | 'endpointName'>,
): Promise<void> {
  return recordAudit(tx, { ...told, projectId, endpointName });
}

async function insertEndpoint(
  tx: Prisma.TransactionClient,
  draft: EndpointDraft,
  now: Date,
): Promise<EndpointRecord> {
  const { projectId, name, isActive, derivedFromInsight, createdById } = draft;
  const id = uuidv7(now);
  await tx.endpoint.create({
    select: { id: true },
    data: {
      id,
      projectId,
      name,
      isActive,
      derivedFromInsight,
      createdById,
      createdAt: now,
      updatedAt: now,
    },
  });
  const { description, materialization } = draft;
  const first = { ...draft.version, description, createdById, materialization };
  const currentVersionId = await insertVersion(tx, { endpointId: id, version: 1, now }, first);
  await tx.endpoint.update({ where: { id }, data: { currentVersionId }, select: { id: true } });
  await notifyChange(tx, { kind: 'endpoint', projectId, name });
  const endpoint = await requireEndpoint(tx, projectId, name);
  await auditEndpoint(tx, endpoint, {
    action: 'endpoint.create',
    by: draft.by,
    at: now,
    version: 1,
    after: endpointState(endpoint, endpoint.currentVersion),
  });
  return endpoint;
}

function updateEndpoint(deps: Deps, update: EndpointUpdate): Promise<UpdatedEndpoint> {
  const { projectId, name } = update;
  return deps.prisma.$transaction(
    async (tx) => {
      // NO KEY: recording executions of the endpoint goes on meanwhile; updates and deletes wait.
      await tx.$queryRaw`SELECT id FROM endpoint WHERE project_id = ${projectId} AND name = ${name} FOR NO KEY UPDATE`;
      const locked = await requireEndpoint(tx, projectId, name);
      const change = await update.change({
        endpoint: locked,
        findVersion: (version) => findVersion(tx, locked.id, version),
      });
      const now = deps.clock.now();
      const was = await versionOf(tx, locked, change.version?.number);
      const number = await applyChange(tx, locked, { change, now });
      await notifyChange(tx, { kind: 'endpoint', projectId, name });
      const endpoint = await requireEndpoint(tx, projectId, name);
      const version = await versionOf(tx, endpoint, number);
      await auditEndpoint(tx, endpoint, {
        action: 'endpoint.update',
        by: update.by,
        at: now,
        version: version.version,
        ...differences(endpointState(locked, was), endpointState(endpoint, version)),
      });
      return { endpoint, version };
    },
    { ...transactionLimits },
  );
}

/** The version of this number; the current one when it is not there or none is named. */
async function versionOf(
  tx: Prisma.TransactionClient,
  endpoint: EndpointRecord,
  number: number | undefined,
): Promise<VersionRecord> {
  const { currentVersion } = endpoint;
  if (number === undefined || number === currentVersion.version) return currentVersion;
  return (await findVersion(tx, endpoint.id, number)) ?? currentVersion;
}

async function requireEndpoint(
  tx: Prisma.TransactionClient,
  projectId: number,
  name: string,
): Promise<EndpointRecord> {
  const found = await findEndpoint(tx, projectId, name);
  if (found !== null) return found;
  throw new ServiceError('not_found', `There is no endpoint named "${name}" in this project.`, {
    attr: 'name',
  });
}

function deleteEndpoint(
  deps: Deps,
  call: { readonly projectId: number; readonly name: string; readonly by: Actor | undefined },
): Promise<boolean> {
  const { projectId, name, by } = call;
  return deps.prisma.$transaction(async (tx) => {
    // The endpoint before its materializations, in the order in which an update takes them.
    const [found] = await tx.$queryRaw<readonly { readonly id: string }[]>`
      SELECT id FROM endpoint WHERE project_id = ${projectId} AND name = ${name} FOR UPDATE`;
    if (found === undefined) return false;
    const now = deps.clock.now();
    const endpoint = await requireEndpoint(tx, projectId, name);
    await retireTablesOf(tx, { endpointId: found.id, now });
    const { count } = await tx.endpoint.deleteMany({ where: { id: found.id } });
    if (count === 0) return false;
    await auditEndpoint(tx, endpoint, {
      action: 'endpoint.delete',
      by,
      at: now,
      version: endpoint.currentVersion.version,
      before: endpointState(endpoint, endpoint.currentVersion),
    });
    await notifyChange(tx, { kind: 'endpoint', projectId, name });
    return true;
  }, transactionLimits);
}

function refuseVersion({ prisma, clock }: Deps, id: string): Promise<void> {
  return prisma.$transaction(async (tx) => {
    const { count } = await tx.endpointVersion.updateMany({
      where: { id, refusedAt: null },
      data: { refusedAt: clock.now() },
    });
    if (count === 0) return;
    const { endpoint } = await tx.endpointVersion.findUniqueOrThrow({
      where: { id },
      select: { endpoint: { select: { projectId: true, name: true } } },
    });
    await notifyChange(tx, { kind: 'endpoint', ...endpoint });
  }, transactionLimits);
}

async function lastExecutionTimes(
  prisma: PrismaClient,
  asked: {
    readonly projectId: number;
    readonly names: readonly string[];
    readonly since: Date;
  },
): Promise<ReadonlyMap<string, Date>> {
  if (asked.names.length === 0) return new Map();
  const rows = await prisma.endpoint.findMany({
    where: {
      projectId: asked.projectId,
      name: { in: [...new Set(asked.names)] },
      lastExecutedAt: { gte: asked.since },
    },
    select: { name: true, lastExecutedAt: true },
  });
  return new Map(
    rows.flatMap(({ name, lastExecutedAt }) =>
      lastExecutedAt === null ? [] : [[name, lastExecutedAt] as const],
    ),
  );
}
