/** The names of endpoints' fields in the data graph, each once in a project. */
import { fieldName } from '../data-graph/names.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { isUniqueViolation } from './prisma-errors.ts';

interface NamedDraft {
  readonly projectId: number;
  readonly name: string;
  readonly graphqlName: string | null;
}

/** The name of a new endpoint's field: its author's choice, else one that is free. Nobody else takes it until the end of the transaction. */
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

/** Before the endpoint is locked, so that endpoints whose names are exchanged do not wait for each other. */
export async function lockRenamed(
  tx: Prisma.TransactionClient,
  endpoint: { readonly projectId: number; readonly graphqlName: string },
  next: string | undefined,
): Promise<void> {
  if (next !== undefined) await lock(tx, endpoint.projectId, [endpoint.graphqlName, next]);
}

/** In one order. Names that differ in their number alone share a lock, as one may become the other. */
async function lock(
  tx: Prisma.TransactionClient,
  projectId: number,
  names: readonly string[],
): Promise<void> {
  const keys = new Set(names.map((name) => `field ${name.replace(/_\d+$/, '')}`));
  for (const key of [...keys].sort()) {
    // It has no result that Prisma could read, hence execute.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${key}, ${projectId}::bigint))`;
  }
}

/** Another endpoint of the project has the chosen name: `unique`. Every other error as it is. */
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
