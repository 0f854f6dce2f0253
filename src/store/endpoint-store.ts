/** Saved endpoints and their versions. Every write is one transaction, is audited and notifies the other processes. */
import { ServiceError } from '../errors/service-error.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidv7 } from '../lib/ids.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { Actor } from '../model/actor.ts';
import { endpointRevision } from '../model/endpoint-revision.ts';
import { endpointState } from './audit-endpoint.ts';
import { type AuditDraft, differences, recordAudit } from './audit-store.ts';
import { notifyChange } from './change.ts';
import { lastExecutionTimes, listFieldsNear, listNamesNear } from './endpoint-names.ts';
import {
  type EndpointRecord,
  findByField,
  findEndpoint,
  findVersion,
  type VersionOfEndpoint,
} from './endpoint-record.ts';
import {
  type EndpointChange,
  insertVersion,
  type VersionContent,
  writeChange,
} from './endpoint-write.ts';
import { lockRenamed, takeField, toFieldTaken } from './field-names.ts';
import { findGraphContents, graphRevision, listGraphVersions } from './graph-versions.ts';
import { type MaterializationSettings, retireTablesOf } from './materialization-settings.ts';
import { openStore, type Store } from './open-store.ts';
import { isUniqueViolation } from './prisma-errors.ts';
import { rollBack, type StoreTransaction, type Transactional } from './roll-back.ts';
import type { StoreDeps } from './store-deps.ts';
import { updateTimesOf } from './update-last-used.ts';
import { describeVersion } from './version-columns.ts';
import { versionsNaming } from './versions-naming.ts';

export interface EndpointDraft {
  readonly projectId: number;
  readonly name: string;
  /** Name of its data graph field; null derives one from the endpoint's name. */
  readonly graphqlName: string | null;
  readonly description: string;
  readonly isActive: boolean;
  readonly derivedFromInsight: string | null;
  readonly tags: readonly string[];
  readonly createdById: number | null;
  readonly by?: Actor | undefined;
  readonly version: VersionContent;
  readonly materialization: MaterializationSettings;
}

export interface EndpointUpdate {
  /** The endpoint and the changed version as read when the change was decided. */
  readonly expected: VersionOfEndpoint;
  readonly change: EndpointChange;
  /** Whether any other write since then is a conflict, even one that left these settings unchanged. */
  readonly isExact?: boolean;
  readonly by?: Actor | undefined;
}

interface EndpointDeletion {
  readonly projectId: number;
  readonly name: string;
  /** Throws if the endpoint must not be deleted in its current state; then nothing is deleted. */
  readonly check?: (endpoint: EndpointRecord) => void;
  readonly by?: Actor | undefined;
}

interface WriteDeps {
  readonly prisma: Transactional;
  readonly clock: Clock;
}

const times = { updateLastExecuted: updateTimesOf('endpoint') };
const reads = {
  findEndpoint,
  findByField,
  findVersion,
  graphRevision,
  listGraphVersions,
  findGraphContents,
  versionsNaming,
  listNamesNear,
  listFieldsNear,
  lastExecutionTimes,
};
const writes = { createEndpoint, applyUpdate, deleteEndpoint, refuseVersion, describeVersion };

type EndpointWrites = Store<typeof writes>;

export interface EndpointStore extends Store<typeof reads>, Store<typeof times>, EndpointWrites {
  /** Does the work in one transaction and rolls it back: nothing is written, audited or announced. */
  dryRun<T>(work: (writes: EndpointWrites, tx: StoreTransaction) => Promise<T>): Promise<T>;
}

export function openEndpointStore(deps: StoreDeps): EndpointStore {
  return {
    ...openStore(deps.prisma, reads),
    ...openStore(deps, times),
    ...openStore(deps, writes),
    dryRun: (work) =>
      rollBack(deps.prisma, transactionLimits, (prisma, tx) =>
        work(openStore({ prisma, clock: deps.clock }, writes), tx),
      ),
  };
}

/** Writes of one endpoint wait for each other, and each holds a connection meanwhile. */
const transactionLimits = { maxWait: 10_000, timeout: 30_000 } as const;

/** Creates it with version 1. Throws ServiceError `unique` when the name is taken. */
async function createEndpoint(
  { prisma, clock }: WriteDeps,
  draft: EndpointDraft,
): Promise<EndpointRecord> {
  try {
    return await prisma.$transaction(
      (tx) => insertEndpoint(tx, draft, clock.now()),
      transactionLimits,
    );
  } catch (error) {
    if (!isUniqueViolation(error, 'endpoint_project_id_name_key')) throw toFieldTaken(error, draft);
    throw new ServiceError(
      'unique',
      `An endpoint named "${draft.name}" already exists in this project. Choose another name.`,
      { attr: 'name', cause: error },
    );
  }
}

async function insertEndpoint(
  tx: Prisma.TransactionClient,
  draft: EndpointDraft,
  now: Date,
): Promise<EndpointRecord> {
  const { projectId, name, isActive, derivedFromInsight, createdById } = draft;
  const id = uuidv7(now);
  const graphqlName = await takeField(tx, draft);
  const head = { id, projectId, name, graphqlName, isActive, derivedFromInsight, createdById };
  await tx.endpoint.create({
    select: { id: true },
    data: { ...head, tags: [...draft.tags], createdAt: now, updatedAt: now },
  });
  const { description, materialization } = draft;
  const first = { ...draft.version, description, createdById, materialization };
  const currentVersionId = await insertVersion(tx, { endpointId: id, version: 1, now }, first);
  await tx.endpoint.update({ where: { id }, data: { currentVersionId }, select: { id: true } });
  const endpoint = await findEndpoint(tx, projectId, name);
  if (endpoint === null) throw new Error('the endpoint that was just inserted is not there');
  await announce(tx, endpoint, {
    action: 'endpoint.create',
    by: draft.by,
    at: now,
    version: 1,
    after: endpointState({ endpoint, version: endpoint.currentVersion }),
    fields: [endpoint.graphqlName],
  });
  return endpoint;
}

/**
 * Applies a change if no setting has changed since it was decided. On a conflict (a setting has changed or the endpoint
 * is gone) it writes nothing and returns null. Otherwise returns the new or changed version.
 */
function applyUpdate({ prisma, clock }: WriteDeps, update: EndpointUpdate) {
  const { expected, change, by } = update;
  const { id, projectId, name } = expected.endpoint;
  const write = async (tx: Prisma.TransactionClient): Promise<VersionOfEndpoint | null> => {
    await lockRenamed(tx, expected.endpoint, change.graphqlName);
    // NO KEY lets executions of the endpoint be recorded meanwhile; updates and deletes wait.
    await tx.$queryRaw`SELECT 1 FROM endpoint WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
    const before = await findAtVersion(tx, { projectId, name, version: expected.version.version });
    if (before === null || settingsOf(before) !== settingsOf(expected)) return null;
    if (update.isExact === true && !isSameRevision(before, expected)) return null;
    const now = clock.now();
    const version = await writeChange(tx, before, { change, now });
    const after = await findAtVersion(tx, { projectId, name, version });
    if (after === null) throw new Error('the endpoint that was just updated is not there');
    await announce(tx, after.endpoint, {
      action: 'endpoint.update',
      by,
      at: now,
      version,
      ...differences(endpointState(before), endpointState(after)),
      fields: fieldsOf(before.endpoint, after.endpoint),
    });
    return after;
  };
  return prisma.$transaction(write, transactionLimits).catch((error: unknown) => {
    throw toFieldTaken(error, change);
  });
}

/** Equal for equal settings: an update decided on one state is valid for the other. */
function settingsOf(read: VersionOfEndpoint): string {
  return stableJson([read.endpoint.currentVersion.id, read.version.refusedAt, endpointState(read)]);
}

function isSameRevision(one: VersionOfEndpoint, other: VersionOfEndpoint): boolean {
  return endpointRevision(one.endpoint) === endpointRevision(other.endpoint);
}

async function findAtVersion(
  tx: Prisma.TransactionClient,
  { projectId, name, version: number }: { projectId: number; name: string; version: number },
): Promise<VersionOfEndpoint | null> {
  const endpoint = await findEndpoint(tx, projectId, name);
  if (endpoint === null) return null;
  const current = endpoint.currentVersion;
  const version = number === current.version ? current : await findVersion(tx, endpoint.id, number);
  return version === null ? null : { endpoint, version };
}

/** Deletes the endpoint with its versions; its query statuses stay, under its name. False when it did not exist. */
function deleteEndpoint(
  { prisma, clock }: WriteDeps,
  deletion: EndpointDeletion,
): Promise<boolean> {
  const { projectId, name, by } = deletion;
  return prisma.$transaction(async (tx) => {
    // Locks the endpoint before its materializations, in the same order as an update.
    const [locked] = await tx.$queryRaw<readonly { readonly id: string }[]>`
      SELECT id FROM endpoint WHERE project_id = ${projectId} AND name = ${name} FOR UPDATE`;
    // An endpoint that has got the name since is not locked.
    if (locked === undefined) return false;
    const endpoint = await findEndpoint(tx, projectId, name);
    if (endpoint?.id !== locked.id) throw new Error('the endpoint that was just locked is gone');
    deletion.check?.(endpoint);
    const now = clock.now();
    await retireTablesOf(tx, { endpointId: endpoint.id, now });
    await tx.endpoint.delete({ where: { id: endpoint.id }, select: { id: true } });
    await announce(tx, endpoint, {
      action: 'endpoint.delete',
      by,
      at: now,
      version: endpoint.currentVersion.version,
      before: endpointState({ endpoint, version: endpoint.currentVersion }),
      fields: [endpoint.graphqlName],
    });
    return true;
  }, transactionLimits);
}

/** Adds the audit entry and notifies the other processes. */
async function announce(
  tx: Prisma.TransactionClient,
  { projectId, name }: EndpointRecord,
  { fields, ...write }: Omit<AuditDraft, 'projectId' | 'endpointName'> & Announced,
): Promise<void> {
  await notifyChange(tx, { kind: 'endpoint', projectId, name, fields });
  await recordAudit(tx, { ...write, projectId, endpointName: name });
}

interface Announced {
  /** Data graph names that the endpoint took or released. */
  readonly fields: readonly string[];
}

function fieldsOf(before: EndpointRecord, after: EndpointRecord): Announced['fields'] {
  const names = [before.graphqlName, after.graphqlName];
  return names[0] === names[1] ? [] : names;
}

/** Makes all processes refuse the version; has no effect when it is gone or already refused. */
function refuseVersion({ prisma, clock }: WriteDeps, id: string): Promise<void> {
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
    await notifyChange(tx, { kind: 'endpoint', ...endpoint, fields: [] });
  }, transactionLimits);
}
