import type { Clock } from '../lib/clock.ts';
import type { Actor } from '../model/actor.ts';
import type { AuditState, AuditStore } from '../store/audit-store.ts';
import type { ProjectStore } from '../store/project-store.ts';

interface Deps {
  readonly audit: AuditStore;
  readonly projects: ProjectStore;
  readonly clock: Clock;
}

interface LoadEntry {
  readonly projectId: number;
  readonly table: string;
  readonly by: Actor;
  /** What the audit log tells of the load, besides its table. */
  readonly about: AuditState;
}

/**
 * Loads rows and records that. No transaction spans the engine and the audit log, so there is one entry before the load
 * and one after it; the second also ends results that are cached from before.
 */
export async function recordLoad<Loaded extends { readonly rows: number }>(
  { audit, projects, clock }: Deps,
  { projectId, table, by, about }: LoadEntry,
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  const entry = { table, ...about };
  await audit.append({ action: 'data.load', projectId, after: entry, by, at: clock.now() });
  const loaded = await load();
  const after = { ...entry, rows: loaded.rows };
  await projects.recordDataChange({ projectId, table, by, action: 'data.loaded', after });
  return loaded;
}
