import type { Column } from '../engine/query-engine.ts';
import { areSameColumns } from '../engine/same-columns.ts';
import type { Clock } from '../lib/clock.ts';
import type { Actor } from '../model/actor.ts';
import type { AuditState, AuditStore } from '../store/audit-store.ts';
import type { ProjectStore } from '../store/project-store.ts';

interface Deps {
  readonly audit: AuditStore;
  readonly projects: ProjectStore;
  readonly clock: Clock;
}

/** The outcome of a load for its table. */
interface Loaded {
  readonly rows: number;
  readonly columns: readonly Column[];
}

interface LoadEntry {
  readonly projectId: number;
  readonly table: string;
  readonly by: Actor;
  /** The table's columns before; null when it did not exist. */
  readonly existing: readonly Column[] | null;
  /** The load's details in the audit log, besides its table. */
  readonly about: AuditState;
}

/**
 * Loads rows and records that. No transaction spans the engine and the audit log, so there is one entry before the load
 * and one after it; the second also invalidates older cached results.
 */
export async function recordLoad<Result extends Loaded>(
  { audit, projects, clock }: Deps,
  { projectId, table, by, existing, about }: LoadEntry,
  load: () => Promise<Result>,
): Promise<Result> {
  const entry = { table, ...about };
  await audit.append({ action: 'data.load', projectId, after: entry, by, at: clock.now() });
  const loaded = await load();
  const after = { ...entry, rows: loaded.rows };
  const hasNewColumns = existing === null || !areSameColumns(existing, loaded.columns);
  const change = { projectId, table, by, hasNewColumns, after } as const;
  await projects.recordDataChange({ ...change, action: 'data.loaded' });
  return loaded;
}
