import { randomUUID } from 'node:crypto';
import { carryOut } from './carry-out.ts';
import { dropOn } from './drop-on.ts';
import type { ProjectTable } from './project-table.ts';
import type { Changing } from './table-nodes.ts';

/** Drops the table on each responding node; other nodes drop it when they are back. */
export async function dropOnNodes(changing: Changing, table: ProjectTable): Promise<void> {
  const on = await changing.nodes.upToDate();
  await carryOut(changing, {
    change: { id: randomUUID(), ...table, kind: 'drop' },
    on: on.map((node) => ({ node, staging: null })),
    apply: (node) => dropOn(node, table),
  });
}
