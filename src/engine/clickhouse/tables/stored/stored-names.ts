/** Databases and names of stored tables. */

import { ServiceError } from '../../../../errors/service-error.ts';
import { storedTablePrefix } from '../../../../model/materialization-state.ts';
import { formatTexts } from '../../../../sql/param-value.ts';
import { quoteName, quoteText } from '../../../../sql/quote-name.ts';
import { isGranted } from '../../bound/check-grant.ts';
import { EngineError } from '../../errors/engine-error.ts';
import { asService } from '../../errors/translate-error.ts';
import type { EngineResponse } from '../../http/http-client.ts';
import type { Statement } from '../../http/refusable-settings.ts';
import type { Settings } from '../../http/request-message.ts';
import {
  asAdmin,
  asWriter,
  readRows,
  rowSettings,
  type Session,
  toTexts,
} from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { clusterOf, ofAllNodes } from '../../topology/on-cluster.ts';
import { findTableEngine } from '../../topology/table-engine.ts';

const NAME = new RegExp(`^${storedTablePrefix}[a-z0-9_]{1,100}$`);

/** @throws ServiceError `cannot_materialize` for a project that has no database for them. */
export function requireStored(session: Session, projectId: number): string {
  const { stored } = session.place(projectId);
  if (stored !== null) return stored;
  throw new ServiceError('cannot_materialize', NOWHERE);
}

const NOWHERE =
  'The project is bound to existing databases and has no database for stored tables. An operator can set one with querydock project attach --stored.';

export function requireName(table: string): void {
  if (!NAME.test(table)) throw new Error(`${table} is not the name of a stored table`);
}

/** The clause of CREATE TABLE that marks a table as this deployment's; empty where no others are. */
export function owned({ owner }: Session): string {
  return owner === undefined ? '' : ` COMMENT ${quoteText(owner)}`;
}

/**
 * The tables next to the stored ones whose names start like this, without those of other owners.
 *
 * @param send as a user that sees them.
 */
export async function tableNames(
  session: Session,
  projectId: number,
  prefix: string,
  send: (statement: Statement) => Promise<EngineResponse> = (statement) =>
    asAdmin(session, statement),
): Promise<readonly string[]> {
  const { stored } = session.place(projectId);
  if (stored === null) return [];
  const { owner } = session;
  const own = owner === undefined ? '' : ' AND comment = {owner:String}';
  const response = await send({
    sql: `SELECT DISTINCT name FROM ${ofAllNodes(session.connection, 'system.tables')} WHERE database = {database:String} AND startsWith(name, {prefix:String})${own} ORDER BY name`,
    params: formatTexts({ database: stored, prefix, ...(owner === undefined ? {} : { owner }) }),
  });
  return toTexts(readRows(response));
}

/** Name of an incomplete copy on another node. */
export function fillName(table: string): string {
  return `${table}_fill`;
}

/**
 * Runs with the writer's rights. The writer may not forward statements to other nodes; there the administrator is used.
 */
export function asMaker(
  session: Session,
  projectId: number,
  { settings = {}, ...statement }: Statement & { readonly settings?: Settings },
): Promise<EngineResponse> {
  return clusterOf(session.connection) === null
    ? asWriter(session, projectId, { ...statement, settings })
    : asAdmin(session, { ...statement, ownSettings: settings, repeatable: false });
}

/**
 * Otherwise each attempt of a sync would leave its tables in a database of somebody else.
 *
 * @throws ServiceError `query_failed` when the writer of a bound project may create tables there but not drop them.
 */
export async function requireDrops(session: Session, projectId: number): Promise<void> {
  const { isBound } = session.place(projectId);
  if (!isBound) return;
  const database = quoteName(requireStored(session, projectId));
  const send = async (sql: string) =>
    readRows(await asWriter(session, projectId, { sql, settings: rowSettings }));
  if (!(await asService(isGranted(send, `DROP TABLE ON ${database}.*`))))
    throw new ServiceError('query_failed', CANNOT_DROP);
}

const CANNOT_DROP =
  'The user that stores results lacks the right DROP TABLE on the database of stored tables; querydock project check names the rights that it lacks.';

const UNKNOWN_DATABASE = 81;

export async function dropOne(session: Session, projectId: number, table: string): Promise<void> {
  const database = requireStored(session, projectId);
  const { onCluster } = await findTableEngine(session, database);
  const sql = `DROP TABLE IF EXISTS ${qualified(database, table)}${onCluster}`;
  try {
    await asMaker(session, projectId, { sql });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== UNKNOWN_DATABASE) throw error;
  }
}
