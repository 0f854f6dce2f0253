/** Names of endpoints' data graph fields, unique in a project. */
import { fieldName } from '../data-graph/names.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { isUniqueViolation } from './prisma-errors.ts';

interface NamedDraft {
  readonly projectId: number;
  readonly name: string;
  readonly graphqlName: string | null;
}

/**
 * The name of a new endpoint's field: its author's choice, else a free one. It is reserved until the end of the
 * transaction.
 */
export async function takeField(tx: Prisma.TransactionClient, draft: NamedDraft): Promise<string> {
  const { projectId, graphqlName } = draft;
  const wanted = graphqlName ?? fieldName(draft.name, () => false);
  await lock(tx, projectId, [wanted]);
  if (graphqlName !== null) return graphqlName;
  const rows = await tx.$queryRaw<readonly { readonly name: string }[]>`
    SELECT graphql_name AS name FROM endpoint
    WHERE project_id = ${projectId} AND starts_with(graphql_name, ${wanted})`;
  const taken = new Set(rows.map(({ name }) => name));
  return fieldName(draft.name, (name) => taken.has(name));
}

/** Taken before the endpoint's lock, so that swapping names between endpoints cannot deadlock. */
export async function lockRenamed(
  tx: Prisma.TransactionClient,
  endpoint: { readonly projectId: number; readonly graphqlName: string },
  next: string | undefined,
): Promise<void> {
  if (next !== undefined) await lock(tx, endpoint.projectId, [endpoint.graphqlName, next]);
}

/** Locks in a fixed order. Names that differ only in their number share a lock, since one may become the other. */
async function lock(
  tx: Prisma.TransactionClient,
  projectId: number,
  names: readonly string[],
): Promise<void> {
  const keys = new Set(names.map((name) => `field ${name.replace(/_\d+$/, '')}`));
  for (const key of [...keys].sort()) {
    // Returns nothing that Prisma could read, hence execute.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${key}, ${projectId}::bigint))`;
  }
}

/** Translates a conflict with the chosen name of another endpoint to `unique`; returns any other error unchanged. */
export function toFieldTaken(
  error: unknown,
  { graphqlName }: { readonly graphqlName?: string | null | undefined },
): unknown {
  if (!isUniqueViolation(error, 'endpoint_project_id_graphql_name_key')) return error;
  return new ServiceError(
    'unique',
    `Another endpoint of this project is named "${graphqlName}" in the data graph. Choose another graphql_name.`,
    { attr: 'graphql_name', cause: error },
  );
}
