import { nameOfTable } from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';

/** Minimum age of a table before it is rebuilt for a node that lacks it; by then the reason is no longer known. */
const rebuildAfterMs = 600_000;

export interface Completed {
  /** Tables copied to a node. */
  readonly copied: number;
  /** Materializations whose tables are rebuilt because a node lacks them. */
  readonly rebuilt: number;
}

/** Restores stored tables that the engine's nodes are missing. Does nothing on a single-node engine. */
export interface NodeCompleter {
  complete(signal?: AbortSignal): Promise<Completed>;
}

export function openNodeCompleter(deps: MaterializationDeps): NodeCompleter {
  const { engine, materializations, clock, log } = deps;
  /**
   * A returning node may be about to create what it lacks, and a table may be about to be dropped, so only tables
   * missing in two consecutive passes are rebuilt.
   */
  let suspected: ReadonlySet<string> = new Set();

  async function rebuild(table: string): Promise<boolean> {
    const now = clock.now();
    const madeBefore = new Date(now.getTime() - rebuildAfterMs);
    const isDue = await materializations.replaceServed(table, { now, madeBefore });
    if (isDue) log.info({ table }, 'a stored table that a node lacks is built again');
    return isDue;
  }

  return {
    async complete(signal) {
      const firstOf = new Map<string, string>();
      const find = async () =>
        (await materializations.listServed()).flatMap(({ name, projectId, further }) =>
          Array.from({ length: 1 + further }, (_none, at) => {
            const table = nameOfTable(name, at);
            firstOf.set(table, name);
            return { projectId, table };
          }),
        );
      const { copied, lacking } = await engine.completeNodes(find, signal);
      const names = new Set(lacking.flatMap(({ table }) => firstOf.get(table) ?? []));
      let rebuilt = 0;
      for (const name of names) if (suspected.has(name) && (await rebuild(name))) rebuilt += 1;
      suspected = names;
      return { copied, rebuilt };
    },
  };
}
