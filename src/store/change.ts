/** A change that one process publishes, so that all processes drop it from their caches. */
import type { Prisma } from '../generated/prisma/client.ts';

export type Change =
  | { readonly kind: 'key'; readonly id: string }
  | {
      readonly kind: 'endpoint';
      readonly projectId: number;
      readonly name: string;
      /**
       * Data graph names that the endpoint took or released; null when the message came from an older process that does
       * not report them.
       */
      readonly fields: readonly string[] | null;
    }
  | {
      readonly kind: 'project';
      readonly id: number;
      /** A table whose columns may have changed; absent for none. */
      readonly table?: string;
    };

export const changeChannel = 'querydock_changes';

/** Notifies every process. Inside a transaction the notification is sent only when that commits. */
export async function notifyChange(db: Prisma.TransactionClient, change: Change): Promise<void> {
  // pg_notify returns nothing that Prisma could read, hence execute.
  await db.$executeRaw`SELECT pg_notify(${changeChannel}, ${JSON.stringify(change)})`;
}

/** Null for a message that this build does not understand, for example from a newer process. */
export function parseChange(payload: string): Change | null {
  const value = parseObject(payload);
  if (value === null) return null;
  const { kind, id, projectId, name, fields, table } = value;
  if (kind === 'key' && typeof id === 'string') return { kind, id };
  if (kind === 'project' && typeof id === 'number')
    return { kind, id, ...(typeof table === 'string' ? { table } : {}) };
  if (kind === 'endpoint' && typeof projectId === 'number' && typeof name === 'string') {
    return { kind, projectId, name, fields: Array.isArray(fields) ? fields.map(String) : null };
  }
  return null;
}

function parseObject(payload: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
