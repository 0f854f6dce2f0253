import type { Column } from '../engine/query-engine.ts';
import type { TableLoader, TableTrial } from '../engine/table-loader.ts';
import { ServiceError } from '../errors/service-error.ts';
import { compileSample } from '../query/compile-sample.ts';
import { parseQuery, type QueryDefinition } from '../query/query-definition.ts';
import type { EndpointStore } from '../store/endpoint-store.ts';
import type { NamingVersion } from '../store/versions-naming.ts';

export interface BreakingDeps {
  readonly tables: Pick<TableLoader, 'openTrial'>;
  readonly endpoints: Pick<EndpointStore, 'versionsNaming'>;
}

/** A saved version that a new table would break, and why. */
export interface BreakingVersion {
  readonly name: string;
  readonly version: number;
  readonly reason: string;
}

/** A planned change of a table: it gets these columns, or is dropped. */
export interface TableChange {
  readonly projectId: number;
  readonly table: string;
  readonly columns: readonly Column[] | null;
}

/**
 * Saved current or active versions that run now but would not run after the change, or whose result columns would
 * change. Versions that read the table only through a view are not found.
 */
export async function findBreaking(
  { tables, endpoints }: BreakingDeps,
  change: TableChange,
): Promise<readonly BreakingVersion[]> {
  const { projectId, table } = change;
  const naming = await endpoints.versionsNaming(projectId, table);
  if (naming.length === 0) return [];
  const trial = await tables.openTrial(change);
  try {
    const found: BreakingVersion[] = [];
    for (const version of naming) {
      const reason = await whyBreaking(trial, change, version);
      if (reason !== null)
        found.push({ name: version.endpointName, version: version.version, reason });
    }
    return found;
  } finally {
    await trial.close();
  }
}

async function whyBreaking(
  trial: TableTrial,
  { projectId, table, columns }: TableChange,
  { query }: NamingVersion,
): Promise<string | null> {
  const parsed = parseQuery(query as unknown as QueryDefinition);
  const statement = { projectId, ...compileSample(parsed) };
  const now = await describedOrNull(trial.columnsNow(statement));
  if (now === null) return null;
  if (columns === null) return (await trial.readsTable(statement)) ? `it reads ${table}` : null;
  try {
    return differenceOf(now, await trial.columnsThen(statement));
  } catch (error) {
    if (isRefusal(error)) return error.message.replace(/\.$/, '');
    throw error;
  }
}

/** Null for a text that the engine already refuses, since the change does not break it. */
async function describedOrNull(
  work: Promise<readonly Column[]>,
): Promise<readonly Column[] | null> {
  try {
    return await work;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 400;
}

function differenceOf(now: readonly Column[], then: readonly Column[]): string | null {
  const changed = now.find(
    ({ name, type }, at) => then[at]?.name !== name || then[at]?.type !== type,
  );
  // Columns added at the end change nothing that a caller reads.
  if (changed === undefined) return null;
  const after = then.find(({ name }) => name === changed.name);
  if (after === undefined) return `its result loses the column ${changed.name}`;
  return after.type === changed.type
    ? 'the order of its result columns changes'
    : `the type of its result column ${changed.name} changes from ${changed.type} to ${after.type}`;
}
