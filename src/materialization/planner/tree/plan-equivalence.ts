/**
 * Whether a plan answers its query: the read of the stored table, with the stored query's expressions in the place of
 * the stored columns, must be the query itself as the engine understands it.
 */
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { canonicalComparison, conjunctsOf, isAggregate } from './canonical-functions.ts';
import {
  hasPart,
  type Node,
  partNode,
  partOf,
  replaceNodes,
  toNode,
  walk,
  withPart,
} from './canonical-node.ts';
import { canonicalize } from './canonicalize.ts';

export interface SubstitutedRead {
  /** The read over the expressions of the stored query. */
  readonly read: Node;
  /** The SELECT whose rows the table holds. */
  readonly inner: Node;
  /** By name of the stored column. */
  readonly columns: ReadonlyMap<string, Node>;
  /** Whether the read groups and puts aggregates together itself. */
  readonly isMerging: boolean;
}

/** Null for lines that are no tree of a SELECT. */
export function canonicalizeQuery(lines: readonly string[], names: AggregateNames): Node | null {
  const root = readQueryTree(lines)?.[0];
  return root?.kind === 'QUERY' ? canonicalize(root, names) : null;
}

/** Whether two texts are the same query but for the names of its columns. */
export function isSameQuery(a: Node, b: Node): boolean {
  return differingPart(a, b, { extraKeys: new Set(), depth: 0 }) === null;
}

/** @param lines of the read query with the stored query in the place of its table. */
export function substituteStoredQuery(
  lines: readonly string[],
  names: AggregateNames,
): SubstitutedRead | null {
  const root = readQueryTree(lines)?.[0];
  const wrapper = root === undefined ? null : onlySource(root);
  const node = wrapper === null ? null : onlySource(wrapper);
  if (root === undefined || wrapper?.id == null || node === null) return null;
  const inner = canonicalize(node, names);
  const projection = partOf(inner, 'PROJECTION');
  const columns = new Map<string, Node>();
  columnNames(inner).forEach((name, at) => {
    const node = projection[at];
    if (node !== undefined) columns.set(name, node);
  });
  const read = canonicalize(root, names, new Map([[wrapper.id, columns]]));
  const isMerging = aggregatesOf(canonicalize(root, names)).length > 0 || hasPart(read, 'GROUP BY');
  return { read, inner, columns, isMerging };
}

function onlySource(node: TreeNode): TreeNode | null {
  const sources = node.children.find(({ kind }) => kind === 'JOIN TREE')?.children ?? [];
  const [source] = sources;
  return sources.length === 1 && source?.kind === 'QUERY' ? source : null;
}

/** Of a query's result, up to the first blank, which none of our own names holds. */
function columnNames(query: Node): readonly string[] {
  const part = query.args.find(({ name }) => name === 'PROJECTION COLUMNS');
  return (part?.detail ?? '').split('\n').map((line) => line.split(' ')[0] ?? '');
}

/** Aggregates of the query's own, not of its subqueries. */
export function aggregatesOf(query: Node): readonly Node[] {
  return ownNodes(query).filter(isAggregate);
}

/** What a query computes itself: all but what it reads from, and what its subqueries compute. */
export function ownNodes(query: Node): readonly Node[] {
  return query.args
    .filter(({ name }) => name !== 'JOIN TREE')
    .flatMap((part) => [...walk(part, ({ kind }) => kind !== 'QUERY' && kind !== 'UNION')]);
}

/** What is cut, ordered or filled where the rows are stored would be lost or done twice. */
const readOnlyParts = [
  'ORDER BY',
  'LIMIT BY',
  'LIMIT BY LIMIT',
  'LIMIT BY OFFSET',
  'LIMIT',
  'OFFSET',
  'INTERPOLATE',
  'QUALIFY',
];

/** The part of the query that the plan does not answer as it is meant; null when there is none. */
export function findDifference(original: Node, composed: SubstitutedRead): string | null {
  const { read, inner, columns, isMerging } = composed;
  const lost = readOnlyParts.find((part) => hasPart(inner, part));
  if (lost !== undefined) return lost;
  if (inner.detail !== '' && inner.detail !== read.detail) return 'DISTINCT';
  const variables = groupingKeys(
    [...columns].flatMap(([name, node]) => (name.startsWith('__v') ? [node] : [])),
  );
  const grouping = isMerging ? groupingOf(original, read, inner, variables) : inner;
  if (grouping === null) return 'GROUP BY';
  if (isMerging && hasPart(inner, 'HAVING')) return 'HAVING';
  const having = isMerging ? read : inner;
  const where = [...partOf(inner, 'WHERE'), ...partOf(read, 'WHERE')];
  let whole = withPart(read, 'JOIN TREE', partOf(inner, 'JOIN TREE'));
  whole = withPart(whole, 'WHERE', where);
  whole = withPart(whole, 'GROUP BY', partOf(grouping, 'GROUP BY'));
  whole = withPart(whole, 'HAVING', partOf(having, 'HAVING'));
  return differingPart(original, pushDown(whole, 0), { extraKeys: variables, depth: 0 });
}

/** The engine groups by a tuple as by each of its elements. */
export function groupingNodes(node: Node): readonly Node[] {
  if (node.kind !== 'FUNCTION' || node.name !== 'tuple') return [node];
  return partOf(node, 'ARGUMENTS').flatMap(groupingNodes);
}

function groupingKeys(nodes: readonly Node[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(groupingNodes).map(({ key }) => key));
}

/** Whose keys the plan groups by, which must be those of the query. */
function groupingOf(
  original: Node,
  read: Node,
  inner: Node,
  variables: ReadonlySet<string>,
): Node | null {
  const keys = groupingKeysOf(original);
  const projected = partOf(original, 'PROJECTION').filter(
    (node) => ![...walk(node)].some(isAggregate),
  );
  const more = groupingKeys(projected);
  const isRead = hasKeysAndOnly(keys, groupingKeysOf(read), keys.size === 0 ? new Set() : more);
  const isStored = hasKeysAndOnly(keys, groupingKeysOf(inner), variables);
  return isRead && isStored ? original : null;
}

function groupingKeysOf(query: Node): ReadonlySet<string> {
  return groupingKeys(partOf(query, 'GROUP BY'));
}

/** Whether the keys are there, and with them nothing but what may be. */
function hasKeysAndOnly(
  keys: ReadonlySet<string>,
  found: ReadonlySet<string>,
  more: ReadonlySet<string>,
): boolean {
  const isOther = [...found].some((key) => !keys.has(key) && !more.has(key));
  return !isOther && [...keys].every((key) => found.has(key));
}

const PULLED_UP = /^__h\d+$/;

/** The subqueries out of which a condition was moved up. */
export function pulledUpThrough(query: Node): readonly Node[] {
  const [source] = partOf(query, 'JOIN TREE');
  if (source?.kind !== 'QUERY' || !columnNames(source).some((name) => PULLED_UP.test(name)))
    return [];
  return [source, ...pulledUpThrough(source)];
}

/** Conditions on columns that were moved up out of a subquery, moved down into it again. */
function pushDown(query: Node, depth: number): Node {
  const [source, ...others] = partOf(query, 'JOIN TREE');
  if (source?.kind !== 'QUERY' || others.length > 0) return query;
  const names = columnNames(source);
  const projection = partOf(source, 'PROJECTION');
  const held = new Map(
    names.flatMap((name, at): [string, Node][] => {
      const node = projection[at];
      return PULLED_UP.test(name) && node !== undefined ? [[name, node]] : [];
    }),
  );
  if (held.size === 0) return query;
  const ownLabel = `${depth}.`;
  const conditions = conjunctsOf(partOf(query, 'WHERE')).map((condition) => {
    const written = replaceNodes(condition, (node) =>
      node.kind === 'COLUMN' && node.detail === `${ownLabel}0`
        ? (held.get(node.name) ?? null)
        : null,
    );
    const moved = written === condition ? condition : canonicalComparison(written);
    const isFree = ![...walk(moved)].some(
      ({ kind, detail }) => kind === 'COLUMN' && detail.startsWith(ownLabel),
    );
    return {
      condition: moved,
      sinks: moved !== condition && isFree,
    };
  });
  const kept = conditions.filter(({ sinks }) => !sinks).map(({ condition }) => condition);
  const sunk = conditions.filter(({ sinks }) => sinks).map(({ condition }) => condition);
  const isOwn = (_term: unknown, at: number) => !PULLED_UP.test(names[at] ?? '');
  let inner = withPart(source, 'WHERE', [...partOf(source, 'WHERE'), ...sunk]);
  inner = withPart(inner, 'PROJECTION', projection.filter(isOwn));
  inner = withExtraKeys(inner, [...held.values()]);
  return withPart(withPart(query, 'WHERE', kept), 'JOIN TREE', [pushDown(inner, depth + 1)]);
}

/** Notes in place of the columns' names which expressions may stand in GROUP BY for the moved conditions. */
function withExtraKeys(query: Node, held: readonly Node[]): Node {
  const args = query.args.map((part) => {
    if (part.name !== 'PROJECTION COLUMNS') return part;
    const lines = part.detail
      .split('\n')
      .filter((line) => !PULLED_UP.test(line.split(' ')[0] ?? ''));
    return partNode(part.name, held, lines.join('\n'));
  });
  return toNode({ ...query, args });
}

interface Allowed {
  /** Keys of expressions by which the plan may group as well. */
  readonly extraKeys: ReadonlySet<string>;
  readonly depth: number;
}

function differingPart(
  original: Node,
  planned: Node,
  { extraKeys: held, depth }: Allowed,
): string | null {
  if (original.detail !== planned.detail) return 'DISTINCT or GROUP BY';
  const names = new Set([...original.args, ...planned.args].map(({ name }) => name));
  for (const name of names) {
    const [a, b] = [partOf(original, name), partOf(planned, name)];
    if (name === 'PROJECTION COLUMNS') {
      if (depth > 0 && resultColumnsOf(original) !== resultColumnsOf(planned)) return 'SELECT';
    } else if (name === 'WHERE') {
      if (sortedKeys(conjunctsOf(a)) !== sortedKeys(conjunctsOf(b))) return 'WHERE';
    } else if (name === 'GROUP BY') {
      if (!hasKeysAndOnly(groupingKeysOf(original), groupingKeysOf(planned), held))
        return 'GROUP BY';
    } else if (name === 'JOIN TREE') {
      const other = differingSource(a, b, depth);
      if (other !== null) return other;
    } else if (partNode(name, a).key !== partNode(name, b).key) {
      return name === 'PROJECTION' ? 'SELECT' : name;
    }
  }
  return null;
}

function differingSource(a: readonly Node[], b: readonly Node[], depth: number): string | null {
  const [original, planned] = [a[0], b[0]];
  const isOne = a.length === 1 && b.length === 1;
  if (isOne && original?.kind === 'QUERY' && planned?.kind === 'QUERY') {
    const held = groupingKeys(partOf(planned, 'PROJECTION COLUMNS'));
    return differingPart(original, planned, { extraKeys: held, depth: depth + 1 });
  }
  return partNode('', a).key === partNode('', b).key ? null : 'FROM';
}

function resultColumnsOf(query: Node): string {
  return query.args.find(({ name }) => name === 'PROJECTION COLUMNS')?.detail ?? '';
}

function sortedKeys(nodes: readonly Node[]): string {
  const keys = [...new Set(nodes.map(({ key }) => key))];
  return keys.sort().join('\n');
}
