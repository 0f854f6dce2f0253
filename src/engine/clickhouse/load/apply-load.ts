/**
 * Puts the rows of a load's hidden table into the table of a single-node engine. If the engine is lost meanwhile, finds
 * out what it has done, and completes the rest.
 */
import { randomUUID } from 'node:crypto';
import { outagePausesMs, tryAgain } from '../../../lib/try-again.ts';
import type { TableChange } from '../../../model/node-journal.ts';
import { UnsettledLoad } from '../../table-loader.ts';
import { isUnknownTable } from '../errors/engine-error.ts';
import { isFaultOfNode } from '../http/failover.ts';
import { type AdminSession, asAdmin, readRows } from '../http/session.ts';
import { begunName } from '../tables/changes/move-in.ts';
import { findStaged, takeStaged } from '../tables/changes/staged.ts';
import { applyOn, drop, idOf, kindOf, type Load } from './load-on-node.ts';

/** How long an engine that was lost may take to come back. */
const WAIT_MS = 30_000;

interface Applying {
  readonly load: Load;
  readonly change: TableChange;
  /** Id of the hidden table. */
  readonly id: string;
  readonly beganMs: number;
  /** Names that the hidden table has had besides its first one. */
  readonly names: Set<string>;
}

/** @throws UnsettledLoad if the engine was lost and the outcome is unknown; after any other error nothing has changed. */
export async function applyLoad(load: Load): Promise<void> {
  const { projectId, table, mode, log } = load.request;
  const kind = kindOf(mode);
  const change: TableChange = { id: randomUUID(), projectId, table, kind };
  const names = new Set(kind === 'append' ? [begunName(load.staging.name)] : []);
  const applying = { load, change, id: await idOf(load), beganMs: performance.now(), names };
  try {
    await applyOn(sessionOf(load), load, change);
  } catch (error) {
    if (!isFaultOfNode(error)) throw error;
    log.warn({ err: error, projectId, table }, 'the engine was lost while a table got its rows');
    await settleWithin(applying);
  } finally {
    for (const name of names) await drop(load, name);
  }
}

async function settleWithin(applying: Applying): Promise<void> {
  const { request } = applying.load;
  const lostMs = performance.now();
  const { projectId, table, log } = request;
  try {
    await tryAgain(() => settle(applying), {
      pausesMs: outagePausesMs,
      // A statement that was sent before may have renamed the hidden table since it was found.
      isPassing: (error) =>
        (isFaultOfNode(error) || isUnknownTable(error)) && performance.now() - lostMs < WAIT_MS,
      onFailure: (err) =>
        log.warn({ err, projectId, table }, 'a load whose engine was lost is not settled yet'),
    });
  } catch (error) {
    throw new UnsettledLoad(request, error);
  }
}

async function settle({ load, change, id, beganMs, names }: Applying): Promise<void> {
  const session = sessionOf(load);
  const found = await findStaged(session, change, id);
  if (found === 'done') return;
  if (found === 'none') throw new Error('the hidden table of a load is gone');
  if (found.isBegun && (await hasRestarted(session, beganMs)))
    throw new Error('the engine restarted while rows were moved, which may be in both tables');
  const { name } = await takeStaged(session, change, found);
  names.add(name).add(begunName(name));
  // What was sent before may have arrived just before the new name.
  if ((await findStaged(session, change, id)) === 'done') return;
  await applyOn(session, { ...load, staging: { ...load.staging, name } }, change);
}

/** In doubt, true. */
async function hasRestarted(session: AdminSession, sinceMs: number): Promise<boolean> {
  const [row] = readRows(await asAdmin(session, { sql: 'SELECT uptime()' }));
  return !(Number(row?.[0]) >= (performance.now() - sinceMs) / 1000);
}

function sessionOf({ client, request: { connection } }: Load): AdminSession {
  return { client, connection };
}
