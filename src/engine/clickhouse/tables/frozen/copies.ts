/** Names, makes and drops the copies that a sync reads. They are next to the stored table. */

import { EngineError } from '../../errors/engine-error.ts';
import type { EngineResponse } from '../../http/http-client.ts';
import type { Statement } from '../../http/refusable-settings.ts';
import { asAdmin, asWriter, rowSettings, type Session } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { clusterOf } from '../../topology/on-cluster.ts';
import { typeSettings } from '../stored/make-table.ts';
import { tableNames } from '../stored/stored-names.ts';

/** The name of a copy. A copy whose sync died is found by this name. */
export function copyName(table: string, index: number): string {
  return `${copyPrefix(table)}${index}`;
}

function copyPrefix(table: string): string {
  return `${table}_source_`;
}

/**
 * Whether tables of the project can be copied: on a cluster other statements might read another node, and a bound
 * project may have no database or user for that.
 */
export function canCopy(session: Session, projectId: number): boolean {
  return clusterOf(session.connection) === null && session.place(projectId).stored !== null;
}

/** A copy may have any type of a table, and is exempt from the size limit for drops. */
const COPIER = { ...typeSettings, max_table_size_to_drop: '0' } as const;

/**
 * Runs with the rights of the administrator, or in a bound project, which has none, with those of the writer. Without
 * the right to drop any copy again, none is made.
 */
export function asCopier(
  session: Session,
  projectId: number,
  { repeatable = true, ...statement }: Statement & { readonly repeatable?: boolean },
): Promise<EngineResponse> {
  return session.place(projectId).isBound
    ? asWriter(session, projectId, { ...statement, settings: { ...rowSettings, ...COPIER } })
    : asAdmin(session, { ...statement, repeatable, ownSettings: typeSettings });
}

const UNKNOWN_DATABASE = 81;

interface CopiesOf {
  readonly projectId: number;
  /** The stored table. */
  readonly table: string;
}

/** Whether the user that reads in a bound project sees as many copies of the table. */
export async function areReadable(
  session: Session,
  { projectId, table }: CopiesOf,
  copies: number,
): Promise<boolean> {
  if (!session.place(projectId).isBound) return true;
  return (await tableNames(session, projectId, copyPrefix(table))).length === copies;
}

/** Drops only own ones in a database that may be shared by mistake. Idempotent, even when the project is gone. */
export async function dropCopies(session: Session, { projectId, table }: CopiesOf): Promise<void> {
  if (!canCopy(session, projectId)) return;
  const send = (statement: Statement) => asCopier(session, projectId, statement);
  for (const copy of await tableNames(session, projectId, copyPrefix(table), send))
    await dropCopy(session, { projectId, copy });
}

/** Synchronous, so that it does not keep rows on disk that its source has deleted. */
export async function dropCopy(
  session: Session,
  { projectId, copy }: { readonly projectId: number; readonly copy: string },
): Promise<void> {
  const { stored } = session.place(projectId);
  if (stored === null) return;
  const name = qualified(stored, copy);
  try {
    const sql = `DROP TABLE IF EXISTS ${name} SYNC SETTINGS max_table_size_to_drop = 0`;
    await asCopier(session, projectId, { sql });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== UNKNOWN_DATABASE) throw error;
  }
}
