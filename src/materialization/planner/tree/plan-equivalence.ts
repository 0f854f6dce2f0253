/**
 * Whether a plan gives the same result as its query: the read, with the stored query's expressions substituted for
 * stored columns, must be the query itself as the engine understands it.
 */
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { aggregatesOf, conjunctsOf, groupingNodes, isAggregate } from './canonical-functions.ts';
import { hasPart, type Node, partNode, partOf, walk, withPart } from './canonical-node.ts';
import { canonicalize } from './canonicalize.ts';
import { columnNames, pushDown, resultColumnsOf } from './push-down.ts';

export interface SubstitutedRead {
  /** The read over the stored query's expressions. */
  readonly read: Node;
  /** The SELECT whose rows the table stores. */
  readonly inner: Node;
  /** The stored query's expressions, by stored column. */
  readonly columns: ReadonlyMap<string, Node>;
  /** Whether the read groups and merges aggregates. */
  readonly isMerging: boolean;
}

/** Null if the lines are not the tree of a SELECT. */
export function canonicalizeQuery(lines: readonly string[], names: AggregateNames): Node | null {
  const root = readQueryTree(lines)?.[0];
  return root?.kind === 'QUERY' ? canonicalize(root, names) : null;
}

/** Whether two queries are the same except for their result column names. */
export function isSameQuery(a: Node, b: Node): boolean {
  return differingPart(a, b, { extraKeys: new Set(), depth: 0 }) === null;
}

/** @param lines tree of the read query, with the stored query as a subquery in place of its table. */
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
  const read = canonicalize(root, names, { columns: new Map([[wrapper.id, columns]]) });
  const isMerging = aggregatesOf(canonicalize(root, names)).length > 0 || hasPart(read, 'GROUP BY');
  return { read, inner, columns, isMerging };
}

export function onlySource(node: TreeNode): TreeNode | null {
  const sources = node.children.find(({ kind }) => kind === 'JOIN TREE')?.children ?? [];
  const [source] = sources;
  return sources.length === 1 && source?.kind === 'QUERY' ? source : null;
}

/** Clauses applied at read time: in the stored query they would be lost or applied twice. */
const readOnlyParts =
  'ORDER BY,LIMIT BY,LIMIT BY LIMIT,LIMIT BY OFFSET,LIMIT,OFFSET,INTERPOLATE'.split(',');

/** The clause in which the plan differs from the query; null if they are the same. */
export function findDifference(original: Node, substituted: SubstitutedRead): string | null {
  const { read, inner, columns, isMerging } = substituted;
  const lost = readOnlyParts.find((part) => hasPart(inner, part));
  if (isMerging && hasPart(inner, 'QUALIFY')) return 'QUALIFY';
  if (lost !== undefined) return lost;
  if (inner.detail !== '' && inner.detail !== read.detail) return 'DISTINCT';
  const variables = groupingKeys(
    [...columns].flatMap(([name, node]) => (/^__[vd]/.test(name) ? [node] : [])),
  );
  if (isMerging && !hasSameGroups(original, substituted, variables)) return 'GROUP BY';
  if (isMerging && hasPart(inner, 'HAVING')) return 'HAVING';
  const where = [...partOf(inner, 'WHERE'), ...partOf(read, 'WHERE')];
  let whole = withPart(read, 'JOIN TREE', partOf(inner, 'JOIN TREE'));
  whole = withPart(whole, 'WHERE', where);
  whole = withPart(whole, 'GROUP BY', partOf(isMerging ? original : inner, 'GROUP BY'));
  whole = withPart(whole, 'HAVING', partOf(isMerging ? read : inner, 'HAVING'));
  whole = withPart(whole, 'QUALIFY', partOf(isMerging ? read : inner, 'QUALIFY'));
  return differingPart(original, pushDown(whole), { extraKeys: variables, depth: 0 });
}

function groupingKeys(nodes: readonly Node[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(groupingNodes).map(({ key }) => key));
}

/** Whether the read groups by the query's keys, and the stored query by these and the columns of variables. */
function hasSameGroups(
  original: Node,
  { read, inner }: SubstitutedRead,
  variables: ReadonlySet<string>,
): boolean {
  const keys = groupingKeysOf(original);
  const isPlain = !/group_by_type: /.test(original.detail);
  const [written, planned] = [original, read].map((one) => partNode('', partOf(one, 'GROUP BY')));
  if (!isPlain && written?.key !== planned?.key) return false;
  const projected = partOf(original, 'PROJECTION').filter(
    (node) => ![...walk(node)].some(isAggregate),
  );
  const extra = keys.size === 0 ? new Set<string>() : groupingKeys(projected);
  return (
    hasKeysAndOnly(keys, groupingKeysOf(read), extra) &&
    hasKeysAndOnly(keys, groupingKeysOf(inner), variables)
  );
}

function groupingKeysOf(query: Node): ReadonlySet<string> {
  return groupingKeys(partOf(query, 'GROUP BY'));
}

/** Whether `found` has all keys, and nothing else besides the extra ones. */
function hasKeysAndOnly(
  keys: ReadonlySet<string>,
  found: ReadonlySet<string>,
  extra: ReadonlySet<string>,
): boolean {
  const isOther = [...found].some((key) => !keys.has(key) && !extra.has(key));
  return !isOther && [...keys].every((key) => found.has(key));
}

interface Allowed {
  /** Keys by which the plan may additionally group. */
  readonly extraKeys: ReadonlySet<string>;
  readonly depth: number;
}

function differingPart(
  original: Node,
  planned: Node,
  { extraKeys, depth }: Allowed,
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
      if (!hasKeysAndOnly(groupingKeysOf(original), groupingKeysOf(planned), extraKeys))
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
    const extraKeys = groupingKeys(partOf(planned, 'PROJECTION COLUMNS'));
    return differingPart(original, planned, { extraKeys, depth: depth + 1 });
  }
  return partNode('', a).key === partNode('', b).key ? null : 'FROM';
}

function sortedKeys(nodes: readonly Node[]): string {
  const keys = [...new Set(nodes.map(({ key }) => key))];
  return keys.sort().join('\n');
}
