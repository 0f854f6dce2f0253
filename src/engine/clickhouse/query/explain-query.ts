/** The engine's plan of a statement. */

import type { PlannedIndex, PlannedRead, PlanStep, QueryPlan } from '../../../model/query-plan.ts';
import type { ProjectPlace } from '../../project-place.ts';
import type { EngineStatement } from '../../query-engine.ts';
import { checkStatement } from '../guard/check-statement.ts';
import { readerRows, type Session } from '../http/session.ts';

/** Runs as the project's reader. Rejects as `describe` does, and when the engine cannot plan the text. */
export async function explainQuery(session: Session, query: EngineStatement): Promise<QueryPlan> {
  const { statement } = await checkStatement(session, query, 'query_failed');
  const readPlan = (explain: string) =>
    readerRows(session, { ...query, sql: `${explain} ${statement}` }, { fault: 'query_failed' });
  const place = session.place(query.projectId);
  const estimate = await readPlan('EXPLAIN ESTIMATE');
  const [row] = await readPlan('EXPLAIN json = 1, indexes = 1, description = 1');
  const [{ Plan: plan }] = JSON.parse(row === undefined ? '[{}]' : String(row[0])) as [
    { readonly Plan?: Node },
  ];
  return {
    reads: estimate.map((read) => toRead(place, read)),
    steps: plan === undefined ? [] : toSteps(place, plan, 0),
  };
}

/** A step as the engine writes it. */
interface Node {
  readonly 'Node Type'?: string;
  readonly Description?: string;
  readonly Indexes?: readonly Index[];
  readonly Plans?: readonly Node[];
}

interface Index {
  readonly Type?: string;
  readonly Name?: string;
  readonly Keys?: readonly string[];
  readonly Condition?: string;
  readonly 'Initial Parts'?: number;
  readonly 'Selected Parts'?: number;
  readonly 'Initial Granules'?: number;
  readonly 'Selected Granules'?: number;
}

/** @param row (database, table, parts, rows, marks). */
function toRead(place: ProjectPlace, [database, table, parts, rows, marks]: readonly unknown[]) {
  const read: PlannedRead = {
    table: withoutOwn(place, `${String(database)}.${String(table)}`),
    rows: Number(rows),
    parts: Number(parts),
    granules: Number(marks),
  };
  return read;
}

function toSteps(place: ProjectPlace, node: Node, depth: number): readonly PlanStep[] {
  const step: PlanStep = {
    depth,
    name: node['Node Type'] ?? '',
    description: withoutOwn(place, node.Description ?? ''),
    indexes: (node.Indexes ?? []).map((index) => toIndex(place, index)),
  };
  return [step, ...(node.Plans ?? []).flatMap((below) => toSteps(place, below, depth + 1))];
}

function toIndex(place: ProjectPlace, index: Index): PlannedIndex {
  return {
    kind: index.Name === undefined ? (index.Type ?? '') : `${index.Type ?? ''} ${index.Name}`,
    keys: index.Keys ?? [],
    condition: withoutOwn(place, index.Condition ?? ''),
    parts: index['Selected Parts'] ?? 0,
    partsBefore: index['Initial Parts'] ?? 0,
    granules: index['Selected Granules'] ?? 0,
    granulesBefore: index['Initial Granules'] ?? 0,
  };
}

/** Strips the project's first database from names, as its queries write them. */
function withoutOwn({ databases: [own = ''] }: ProjectPlace, text: string): string {
  return own === '' ? text : text.replaceAll(`${own}.`, '');
}
