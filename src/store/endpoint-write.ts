/** The writes of an endpoint that happen inside a transaction which holds it. */
import { ServiceError } from '../errors/service-error.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { uuidv7 } from '../lib/ids.ts';
import type { ColumnRecord, EndpointRecord, VersionRecord } from './endpoint-record.ts';
import { findVersion } from './endpoint-record.ts';
import {
  changeMaterialization,
  type MaterializationChange,
  type MaterializationSettings,
  newMaterialization,
  stopMaterializations,
} from './materialization-settings.ts';

export interface VersionContent {
  /** {kind, query, variables}; any value that JSON can say. */
  readonly query: object;
  readonly columns: readonly ColumnRecord[];
  readonly variables: readonly object[];
  /** 0 to 86400; null: the server's default. */
  readonly cacheAgeSeconds: number | null;
}

export interface NewVersion extends VersionContent {
  readonly description: string;
  readonly createdById: number | null;
  readonly materialization: MaterializationSettings;
}

/** What is absent stays as it is. */
export interface VersionChange {
  readonly number: number;
  readonly description?: string | undefined;
  readonly cacheAgeSeconds?: number | null | undefined;
  readonly isActive?: boolean | undefined;
  readonly materialization?: MaterializationChange | undefined;
}

export interface EndpointChange {
  readonly endpoint?: { readonly isActive?: boolean | undefined } | undefined;
  /** Gets the next number and becomes the current version. */
  readonly newVersion?: NewVersion | undefined;
  /** Of a version that exists, or of the new one when `number` is its. */
  readonly version?: VersionChange | undefined;
  /** Turns off the materialization of every version, and has their tables dropped. */
  readonly stopsMaterializations?: boolean | undefined;
}

/** Inserts the version; answers its id, which the endpoint is still to name as its current one. */
export async function insertVersion(
  tx: Prisma.TransactionClient,
  owner: { readonly endpointId: string; readonly version: number; readonly now: Date },
  content: NewVersion,
): Promise<string> {
  const { endpointId, version, now } = owner;
  const id = uuidv7(now);
  await tx.endpointVersion.create({
    select: { id: true },
    data: {
      id,
      endpointId,
      version,
      description: content.description,
      query: toJson(content.query),
      columns: toJson(content.columns),
      variables: toJson(content.variables),
      cacheAgeSeconds: content.cacheAgeSeconds,
      createdById: content.createdById,
      createdAt: now,
      updatedAt: now,
      materialization: { create: newMaterialization(content.materialization, now) },
    },
  });
  return id;
}

/** Applies what the caller decided to an endpoint that this transaction has locked. Returns the version that was meant. */
export async function applyChange(
  tx: Prisma.TransactionClient,
  locked: EndpointRecord,
  decided: { readonly change: EndpointChange; readonly now: Date },
): Promise<number> {
  const { change, now } = decided;
  const current = locked.currentVersion.version;
  const latest = change.newVersion === undefined ? current : current + 1;
  const owner = { endpointId: locked.id, version: latest, now };
  const { newVersion } = change;
  const newId = newVersion === undefined ? null : await insertVersion(tx, owner, newVersion);
  if (change.version !== undefined) {
    const target = await findVersion(tx, locked.id, change.version.number);
    if (target === null) throw versionNotFound(locked.name, change.version.number, latest);
    await updateVersion(tx, target, { change: change.version, now });
  }
  if (change.stopsMaterializations === true) {
    await stopMaterializations(tx, { endpointId: locked.id, now });
  }
  const isActive = change.endpoint?.isActive;
  await tx.endpoint.update({
    where: { id: locked.id },
    data: {
      updatedAt: now,
      ...(newId === null ? {} : { currentVersionId: newId }),
      ...(isActive === undefined ? {} : { isActive }),
    },
    select: { id: true },
  });
  return change.version?.number ?? latest;
}

async function updateVersion(
  tx: Prisma.TransactionClient,
  target: VersionRecord,
  decided: { readonly change: VersionChange; readonly now: Date },
): Promise<void> {
  const { change, now } = decided;
  const { description, cacheAgeSeconds, isActive } = change;
  const settings = change.materialization;
  await tx.endpointVersion.update({
    where: { id: target.id },
    data: {
      updatedAt: now,
      ...(description === undefined ? {} : { description }),
      ...(cacheAgeSeconds === undefined ? {} : { cacheAgeSeconds }),
      ...(isActive === undefined ? {} : { isActive }),
    },
    select: { id: true },
  });
  if (settings === undefined) return;
  await changeMaterialization(tx, target, { settings, now });
}

function versionNotFound(name: string, number: number, current: number): ServiceError {
  const detail = `The endpoint "${name}" has no version ${number}. Its latest is ${current}.`;
  return new ServiceError('version_not_found', detail, {
    attr: 'version',
    extra: { error: detail, current_version: current },
  });
}

function toJson(value: object): Prisma.InputJsonValue {
  return value as Prisma.InputJsonValue;
}
