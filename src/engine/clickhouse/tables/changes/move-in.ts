/** Moves the rows of a hidden table into a node's table. */
import type { ServiceError } from '../../../../errors/service-error.ts';
import { failure } from '../../errors/failures.ts';
import { type AdminSession, asAdmin, readRows, toTexts } from '../../http/session.ts';
import { countRowsOf, fullName, sendChange } from './project-table.ts';
import type { Swapped } from './swap-in.ts';

/** Suffix once rows may have been moved out: any process that finds such a table must finish the move. */
const BEGUN = '_begun';

export function hasBegun(staging: string): boolean {
  return staging.endsWith(BEGUN);
}

/** The given name, with the suffix if `staging` has it. */
export function begunLike(staging: string, name: string): string {
  return hasBegun(staging) ? `${name}${BEGUN}` : name;
}

/** The name of a hidden table whose rows are being moved. */
export function begunName(staging: string): string {
  return hasBegun(staging) ? staging : `${staging}${BEGUN}`;
}

/** Only its first partitions have the rows. Like a lost node, it gets a copy of another node's table. */
function partly(cause: unknown): ServiceError {
  const internal = 'only some partitions of a table have got their new rows';
  return failure('unavailable', { internal, cause });
}

/**
 * Moves one partition at a time, each atomically; a table created by a load has one. Rows left in the hidden table are
 * not added yet.
 */
export async function moveIn(
  session: AdminSession,
  { projectId, table, staging, changeId }: Swapped,
): Promise<void> {
  const nameOf = (name: string) => fullName({ projectId, table: name });
  const send = (sql: string) => sendChange(session, { sql, changeId });
  const begun = begunName(staging);
  if (begun !== staging) await send(`RENAME TABLE ${nameOf(staging)} TO ${nameOf(begun)}`);
  // Reads the table itself, because the list of parts may miss those of a process that has just started.
  const partitions = await asAdmin(session, {
    sql: `SELECT DISTINCT _partition_id FROM ${nameOf(begun)} ORDER BY 1`,
  });
  for (const [at, id] of toTexts(readRows(partitions)).entries()) {
    try {
      await send(
        `ALTER TABLE ${nameOf(begun)} MOVE PARTITION ID '${id}' TO TABLE ${nameOf(table)}`,
      );
    } catch (error) {
      throw at === 0 ? error : partly(error);
    }
  }
  if ((await countRowsOf(session, nameOf(begun))) !== 0) throw partly(null);
}
