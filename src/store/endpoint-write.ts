/** Writes of an endpoint, inside a transaction that has locked it. */
import type { Prisma } from '../generated/prisma/client.ts';
import { uuidv7 } from '../lib/ids.ts';
import type { ColumnRecord, VersionOfEndpoint, VersionRecord } from './endpoint-record.ts';
import {
  changeMaterialization,
  type MaterializationChange,
  type MaterializationSettings,
  newMaterialization,
  stopMaterializations,
} from './materialization-settings.ts';

export interface VersionContent {
  /** {kind, query, variables}. */
  readonly query: object;
  readonly columns: readonly ColumnRecord[];
  readonly variables: readonly object[];
  /** 0 to 86400; null for the server's default. */
  readonly cacheAgeSeconds: number | null;
}

export interface NewVersion extends VersionContent {
  readonly description: string;
  readonly createdById: number | null;
  readonly materialization: MaterializationSettings;
}

/** Undefined members stay unchanged. */
export interface VersionChange {
  readonly description?: string | undefined;
  readonly cacheAgeSeconds?: number | null | undefined;
  readonly isActive?: boolean | undefined;
  readonly materialization?: MaterializationChange | undefined;
}

export interface EndpointChange {
  /** Applies to the endpoint itself. */
  readonly isActive?: boolean | undefined;
  /** Name of its data graph field. */
  readonly graphqlName?: string | undefined;
  /** Replaces its labels. */
  readonly tags?: readonly string[] | undefined;
  /** Turns off the materialization of every version, and marks their tables for dropping. */
  readonly stopsMaterializations?: boolean | undefined;
  /** Gets the next number and becomes the current version. */
  readonly newVersion?: NewVersion | undefined;
  /** Applies to the version that the update is for. */
  readonly version?: VersionChange | undefined;
}

/** Inserts the version and returns its id, which the caller makes the endpoint's current one. */
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

/**
 * Writes a change of an endpoint that this transaction has locked. Returns the number of the new or changed version.
 */
export async function writeChange(
  tx: Prisma.TransactionClient,
  { endpoint, version }: VersionOfEndpoint,
  decided: { readonly change: EndpointChange; readonly now: Date },
): Promise<number> {
  const { change, now } = decided;
  const { newVersion, isActive, graphqlName, tags } = change;
  const next = { endpointId: endpoint.id, version: endpoint.currentVersion.version + 1, now };
  const newId = newVersion === undefined ? null : await insertVersion(tx, next, newVersion);
  if (change.version !== undefined) {
    await writeVersion(tx, version, { change: change.version, now });
  }
  if (change.stopsMaterializations === true) {
    await stopMaterializations(tx, { endpointId: endpoint.id, now });
  }
  await tx.endpoint.update({
    where: { id: endpoint.id },
    data: {
      updatedAt: now,
      ...(newId === null ? {} : { currentVersionId: newId }),
      ...(isActive === undefined ? {} : { isActive }),
      ...(graphqlName === undefined ? {} : { graphqlName }),
      ...(tags === undefined ? {} : { tags: [...tags] }),
    },
    select: { id: true },
  });
  return newId === null ? version.version : next.version;
}

async function writeVersion(
  tx: Prisma.TransactionClient,
  target: VersionRecord,
  decided: { readonly change: VersionChange; readonly now: Date },
): Promise<void> {
  const { change, now } = decided;
  const { description, cacheAgeSeconds, isActive, materialization } = change;
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
  if (materialization === undefined) return;
  await changeMaterialization(tx, target, { settings: materialization, now });
}

function toJson(value: object): Prisma.InputJsonValue {
  return value as Prisma.InputJsonValue;
}
