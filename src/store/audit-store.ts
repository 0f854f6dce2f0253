/**
 * The audit log: one row per write, in the transaction of that write. Rows are added and, after the retention time,
 * deleted. They are never updated, which the database enforces too.
 */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { uuidv7 } from '../lib/ids.ts';
import { stableJson } from '../lib/stable-json.ts';
import { type Actor, serviceActor } from '../model/actor.ts';
import type { AuditAction } from '../model/audit-action.ts';
import { deleteInChunks } from './delete-in-chunks.ts';
import { openStore, type Store } from './open-store.ts';

/** Any JSON value; dates become ISO 8601. Never a secret. */
export type AuditState = Readonly<Record<string, unknown>>;

export interface AuditDraft {
  readonly action: AuditAction;
  /** Absent for the service itself. */
  readonly by: Actor | undefined;
  readonly at: Date;
  /** Null when it concerns no project, or all of them. */
  readonly projectId: number | null;
  readonly endpointName?: string;
  readonly version?: number;
  /** Absent when there was nothing before. */
  readonly before?: AuditState;
  /** Absent when nothing is left. */
  readonly after?: AuditState;
}

const operations = { append, deleteEntriesBefore };

export type AuditStore = Store<typeof operations>;

export function openAuditStore(deps: { readonly prisma: PrismaClient }): AuditStore {
  return openStore(deps.prisma, operations);
}

/** For actions outside the metadata database, for example at the engine. Atomic. */
function append(prisma: PrismaClient, draft: AuditDraft): Promise<void> {
  return recordAudit(prisma, draft);
}

/** One statement; joins the caller's transaction, if there is one. */
export async function recordAudit(
  db: Prisma.TransactionClient,
  ...drafts: readonly AuditDraft[]
): Promise<void> {
  await db.auditEntry.createMany({ data: drafts.map(toRow) });
}

function toRow(draft: AuditDraft): Prisma.AuditEntryCreateManyInput {
  const { action, at, projectId, endpointName, version, before, after } = draft;
  const { via, keyId, userId, requestId } = draft.by ?? serviceActor;
  return {
    id: uuidv7(at),
    at,
    projectId,
    action,
    door: via,
    apiKeyId: keyId,
    userId,
    requestId,
    endpointName: endpointName ?? null,
    version: version ?? null,
    before: toJson(before),
    after: toJson(after),
  };
}

function toJson(state: AuditState | undefined) {
  return state === undefined ? Prisma.DbNull : (state as Prisma.InputJsonValue);
}

/** What changed, as before and after; unchanged members are left out. */
export function differences(
  before: AuditState,
  after: AuditState,
): { readonly before: AuditState; readonly after: AuditState } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => stableJson(before[name]) !== stableJson(after[name]));
  const pick = (state: AuditState) =>
    Object.fromEntries(changed.filter((name) => name in state).map((name) => [name, state[name]]));
  return { before: pick(before), after: pick(after) };
}

/** Deletes entries older than `before`, `chunk` rows at a time. Returns how many. */
function deleteEntriesBefore(prisma: PrismaClient, before: Date, chunk: number): Promise<number> {
  return deleteInChunks(chunk, () =>
    prisma.$executeRaw(Prisma.sql`
      DELETE FROM audit_entry WHERE id = ANY (ARRAY(
        SELECT id FROM audit_entry WHERE at < ${before} ORDER BY at LIMIT ${chunk}
      ))`),
  );
}
