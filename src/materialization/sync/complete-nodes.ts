import { nameOfTable } from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';

/** A table is not built again for a node that lacks it before it has been there for so long: nobody knows then why the node does. */
const rebuildAfterMs = 600_000;

export interface Completed {
  /** Tables that were copied to a node. */
  readonly copied: number;
  /** Materializations whose tables are built again, because a node lacks them. */
  readonly rebuilt: number;
}

/** Gives nodes of the engine the stored tables that they have missed. Has no effect on an engine of one node. */
export interface NodeCompleter {
  complete(signal?: AbortSignal): Promise<Completed>;
}

export function openNodeCompleter(deps: MaterializationDeps): NodeCompleter {
  const { engine, materializations, clock, log } = deps;
  /** A node that is back may be about to make what it lacks, and a table about to be dropped: the second time counts. */
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
