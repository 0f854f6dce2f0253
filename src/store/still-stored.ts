/** What prevents a bound project from being unbound: the content of its database of stored tables. */
import { invalidInput } from '../errors/service-error.ts';
import type { Prisma } from '../generated/prisma/client.ts';

const shownNames = 5;

/** @throws ServiceError `invalid_input`, naming endpoints. */
export async function requireNothingMaterialized(
  tx: Prisma.TransactionClient,
  projectId: number,
): Promise<void> {
  const enabled = await tx.endpoint.findMany({
    where: { projectId, versions: { some: { materialization: { enabled: true } } } },
    select: { name: true },
    orderBy: { name: 'asc' },
    take: shownNames + 1,
  });
  if (enabled.length === 0) return;
  const names = enabled.slice(0, shownNames).map(({ name }) => name);
  if (enabled.length > shownNames) names.push('…');
  throw invalidInput(
    'project',
    `The project materializes ${names.join(', ')} in the databases that it is bound to: disable materialization for each of their versions first.`,
  );
}

/** @throws ServiceError `invalid_input` */
export async function requireNothingStored(
  tx: Prisma.TransactionClient,
  projectId: number,
): Promise<void> {
  const tables = await tx.storedTable.count({ where: { projectId, droppedAt: null } });
  const enabled = await tx.materializationStatus.count({
    where: { enabled: true, version: { endpoint: { projectId } } },
  });
  if (tables + enabled === 0) return;
  throw invalidInput(
    'databases',
    'The project has stored tables, which were computed from its current databases: disable its materializations first. Users can be changed at any time if the databases remain the same.',
  );
}

/** @throws ServiceError `invalid_input` */
export async function requireAllDropped(
  tx: Prisma.TransactionClient,
  projectId: number,
): Promise<void> {
  const tables = await tx.storedTable.count({ where: { projectId, droppedAt: null } });
  if (tables === 0) return;
  const subject =
    tables === 1
      ? '1 stored table of the project is'
      : `${tables} stored tables of the project are`;
  throw invalidInput(
    'project',
    `${subject} still to be dropped, which a running service does within a minute. Try again then, or if the server no longer exists, detach with --leave-tables.`,
  );
}

/** Removes them from the sweep's list. */
export async function leaveStoredTables(
  tx: Prisma.TransactionClient,
  projectId: number,
): Promise<void> {
  await tx.storedTable.deleteMany({ where: { projectId, droppedAt: null } });
}
