/**
 * Fills a project's table from a file, completely or not at all: rows go to a hidden table, which then replaces the
 * target in one step.
 */
import { randomBytes } from 'node:crypto';
import { invalidInput } from '../../../errors/service-error.ts';
import { requireTableName } from '../../../sql/table-name.ts';
import type { Column } from '../../query-engine.ts';
import { isTableTaken } from '../errors/engine-error.ts';
import { translateError } from '../errors/translate-error.ts';
import { type TimeZones, whyNotType } from '../guard/rules/types.ts';
import { openTimeZones } from '../guard/rules/variable-rules.ts';
import { type EngineClient, openEngineClient } from '../http/http-client.ts';
import { projectDatabase } from '../provision/project-users.ts';
import { UNFINISHED_PREFIX } from '../tables/catalogue.ts';
import { openTableNodes } from '../tables/changes/table-nodes.ts';
import { applyLoad } from './apply-load.ts';
import { requireMode, requireOwnTable, tableTaken } from './check-target.ts';
import {
  countRows,
  createSql,
  drop,
  dropAbandoned,
  existingColumns,
  type Load,
  run,
  unstoppable,
} from './load-on-node.ts';
import { loadOnNodes } from './load-on-nodes.ts';
import type { LoadRequest } from './load-request.ts';
import { qualified, requireColumns } from './load-sql.ts';
import { sendRows } from './send-rows.ts';

/**
 * @returns the number of loaded rows.
 * @throws ServiceError `invalid_input` when names, types, the file or an existing table do not fit, `unique` when
 * `create` finds a table of that name, and the codes of an unavailable engine.
 */
export async function loadTable(request: LoadRequest): Promise<{ readonly rows: number }> {
  requireTableName(request.table);
  requireColumns(request.columns, request.orderBy ?? []);
  const { connection } = request;
  const nodes = openTableNodes(connection);
  const { nodes: [url = connection.url] = [] } = connection;
  const only = openEngineClient({ url });
  const suffix = randomBytes(6).toString('hex');
  try {
    const on = await nodes?.upToDate();
    const [{ client } = { client: only }] = on ?? [];
    requireLoadable(request.columns, await openTimeZones(client, connection)());
    const load = loadOn(request, client, suffix);
    if (nodes === null || on === undefined) return await fillAndSwap(load);
    const loads = on.map((node) => ({ ...load, client: node.client, node }));
    return await loadOnNodes({ nodes, log: request.log }, loads);
  } catch (error) {
    // Somebody has created it since it was checked.
    if (request.mode === 'create' && isTableTaken(error)) throw tableTaken(request.table);
    throw translateError(error, {
      fault: 'query_failed',
      projectId: request.projectId,
      isOwnData: true,
    });
  } finally {
    only.close();
    nodes?.close();
  }
}

function loadOn(request: LoadRequest, client: EngineClient, suffix: string): Load {
  const database = projectDatabase(request.projectId);
  const target = qualified(database, request.table);
  const { columns, orderBy = [] } = request;
  const name = `${UNFINISHED_PREFIX}${suffix}`;
  const staging = { target: qualified(database, name), name, columns, orderBy };
  return { request, client, database, target, staging };
}

/**
 * Refuses types that must not be read from a file's bytes: states of aggregate functions, and times of unknown zones.
 */
function requireLoadable(columns: readonly Column[], zones: TimeZones): void {
  for (const { name, type } of columns) {
    const reason = whyNotType(type, zones);
    if (reason === null) continue;
    throw invalidInput(null, `The type of the column ${name} is not accepted: ${reason}.`);
  }
}

async function fillAndSwap(load: Load): Promise<{ readonly rows: number }> {
  await dropAbandoned(load);
  await requireTarget(load);
  try {
    await run(load, createSql(load));
    await sendRows({ request: load.request, client: load.client, staging: load.staging });
    const rows = await countRows(load);
    await load.request.beforeSwap?.({ rows });
    // Somebody may have created something else under that name meanwhile.
    await requireTarget(load);
    // From here on the load completes even if its caller has left, so that it is never half applied.
    await applyLoad(unstoppable(load));
    return { rows };
  } finally {
    await drop(load, load.staging.name);
  }
}

async function requireTarget(load: Load): Promise<void> {
  const existing = await existingColumns(load);
  requireMode(load.request, existing);
  if (existing !== null) await requireOwnTable(load);
}
