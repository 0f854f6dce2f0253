/** Adds the rows of a hidden table to a table of a node. */
import type { ServiceError } from '../../../../errors/service-error.ts';
import { failure } from '../../errors/failures.ts';
import { type AdminSession, asAdmin, readRows, toTexts } from '../../http/session.ts';
import { countRowsOf, fullName, sendChange } from './project-table.ts';
import type { Swapped } from './swap-in.ts';

/** From then on it may have given away some of its rows: whoever finds one has to go on. */
const BEGUN = '_begun';

export function hasBegun(staging: string): boolean {
  return staging.endsWith(BEGUN);
}

/** The same of another name. */
export function begunLike(staging: string, name: string): string {
  return hasBegun(staging) ? `${name}${BEGUN}` : name;
}

/** What a hidden table is named once rows of it are added. */
export function begunName(staging: string): string {
  return hasBegun(staging) ? staging : `${staging}${BEGUN}`;
}

/** Its first partitions have the rows: as a node that is lost, it is given the table as another one has it. */
function partly(cause: unknown): ServiceError {
  const internal = 'only some partitions of a table have got their new rows';
  return failure('unavailable', { internal, cause });
}

/** All rows of a partition in one step; a table that a load has made has one. What is left in the hidden table is not added yet. */
export async function moveIn(
  session: AdminSession,
  { projectId, table, staging, changeId }: Swapped,
): Promise<void> {
  const nameOf = (name: string) => fullName({ projectId, table: name });
  const send = (sql: string) => sendChange(session, { sql, changeId });
  const begun = begunName(staging);
  if (begun !== staging) await send(`RENAME TABLE ${nameOf(staging)} TO ${nameOf(begun)}`);
  // By the table itself: the list of parts may lack those of a process that has just begun.
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
