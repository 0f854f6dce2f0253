/** Converts the engine's query tree to canonical nodes. */
import {
  argumentsOf,
  attributeOf,
  columnOf,
  stringOf,
  type TreeNode,
} from '../../../sql/query-tree.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { canonicalAggregate, canonicalComparison } from './canonical-functions.ts';
import { type Node, partNode, toNode } from './canonical-node.ts';

interface Scope {
  readonly names: AggregateNames;
  /** Number of enclosing queries and lambdas. */
  readonly depth: number;
  readonly lambdas: number;
  /** Source names by id: the source's position in the query that reads it. */
  readonly labels: Map<number, string>;
  /** Substitutes for columns, by source id and column name. */
  readonly columns: ReadonlyMap<number, ReadonlyMap<string, Node>>;
  readonly hasSubcolumns: boolean;
}

interface Options {
  /** Substitutes, by source id and column name. */
  readonly columns?: Scope['columns'];
  /**
   * Whether a subcolumn that is read by a function is the column of a table that it is called like. No table of the
   * query may have a column of such a name.
   */
  readonly hasSubcolumns?: boolean;
  /** Number of queries that enclose the node. */
  readonly depth?: number;
}

export function canonicalize(node: TreeNode, names: AggregateNames, options: Options = {}): Node {
  const { columns = new Map(), hasSubcolumns = false, depth = 0 } = options;
  return fromTree(node, {
    names,
    depth: depth - 1,
    lambdas: 0,
    labels: new Map(),
    columns,
    hasSubcolumns,
  });
}

function fromTree(node: TreeNode, scope: Scope): Node {
  switch (node.kind) {
    case 'QUERY':
      return fromQuery(node, { ...scope, depth: scope.depth + 1 });
    case 'COLUMN':
      return fromColumn(node, scope);
    case 'CONSTANT':
      return fromConstant(node, scope);
    case 'FUNCTION':
      return fromFunction(node, scope);
    case 'LAMBDA':
      if (node.id !== null) scope.labels.set(node.id, `lambda ${scope.lambdas}`);
      return fromOther(node, { ...scope, lambdas: scope.lambdas + 1 });
    default:
      return node.id === null ? fromPart(node, scope) : fromOther(node, scope);
  }
}

/** Names given by the author or the engine, and attributes that only record the use of a name. */
const NAMES =
  /^alias: .*?, (?=(?:column_name|table_name|table_function_name|is_\w+|function_name|strictness|kind|union_mode|constant_value|frame_type): )/s;
const USES = /(?:^|, )(?:is_subquery: 1|is_cte: 1|cte_name: [^,]*|alias: [^,]*$)/g;

function detailOf(node: TreeNode): string {
  return node.attributes.replace(NAMES, '').replaceAll(USES, '').replace(/^, /, '');
}

function fromOther(node: TreeNode, scope: Scope): Node {
  const args = node.children.map((child) => fromTree(child, scope));
  return toNode({ kind: node.kind, name: '', detail: detailOf(node), type: '', args });
}

/** Replaces lists by their elements. */
function fromPart(node: TreeNode, scope: Scope): Node {
  // The rest is the author's text.
  const name = node.kind.replace(/^EXPRESSION .*/s, 'EXPRESSION');
  if (name === 'PROJECTION COLUMNS') {
    const lines = node.children.map(({ kind, id, attributes }) => `${kind} ${id} ${attributes}`);
    return partNode(name, [], lines.join('\n'));
  }
  const args = node.children
    .flatMap((child) => (child.kind === 'LIST' ? child.children : [child]))
    .map((child) => fromTree(child, scope));
  return partNode(name, args);
}

const sourceKinds = new Set(
  'TABLE,TABLE_FUNCTION,QUERY,UNION,JOIN,CROSS JOIN,ARRAY_JOIN'.split(','),
);

/** Whether it is numbered among the sources of the query that reads it. */
export function isSource({ kind }: Pick<Node, 'kind'>): boolean {
  return sourceKinds.has(kind);
}

function fromQuery(node: TreeNode, scope: Scope): Node {
  labelSources(
    node.children.filter(({ kind }) => kind === 'JOIN TREE' || kind === 'INTERPOLATE'),
    scope,
  );
  const args = node.children.map((child) => fromTree(child, scope));
  const sorted = args.sort((a, b) => (a.name < b.name ? -1 : 1));
  return toNode({ kind: 'QUERY', name: '', detail: detailOf(node), type: '', args: sorted });
}

const OF_TABLE = ' table';

/** Whether the node is a column of a table, rather than of a subquery or an array. */
export function isOfTable({ kind, detail }: Node): boolean {
  return kind === 'COLUMN' && detail.endsWith(OF_TABLE);
}

/** Numbers a query's sources, without those of its subqueries. */
function labelSources(nodes: readonly TreeNode[], { depth, labels }: Scope): void {
  let count = 0;
  const visit = (node: TreeNode) => {
    if (node.id !== null && sourceKinds.has(node.kind)) {
      labels.set(node.id, `${depth}.${count}${node.kind === 'TABLE' ? OF_TABLE : ''}`);
      count += 1;
    }
    if (node.kind === 'INTERPOLATE' && node.id !== null) labels.set(node.id, 'interpolate');
    if (node.kind === 'QUERY' || node.kind === 'UNION') return;
    for (const child of node.children) visit(child);
  };
  for (const node of nodes) visit(node);
}

function fromColumn(node: TreeNode, scope: Scope): Node {
  const { name, type, source } = columnOf(node) ?? { name: '', type: '', source: null };
  const substitute = source === null ? undefined : scope.columns.get(source)?.get(name);
  if (substitute !== undefined) return substitute;
  const from = source === null ? undefined : scope.labels.get(source);
  // A source without a label equals no other.
  const detail = from ?? `unknown ${node.id ?? ''}`;
  const args = node.children.map((child) => fromTree(child, scope));
  return toNode({ kind: 'COLUMN', name, detail, type, args });
}

/** A constant-folded expression is compared by the expression, since its value may change with time and with tables. */
function fromConstant(node: TreeNode, scope: Scope): Node {
  const type = /constant_value_type: (.*)$/s.exec(node.attributes)?.[1] ?? '';
  const source = node.children.find(({ kind }) => kind.startsWith('EXPRESSION'));
  const [computed] = source === undefined ? [] : fromPart(source, scope).args;
  if (computed !== undefined) return { ...computed, type };
  return toNode({ kind: 'CONSTANT', name: '', detail: detailOf(node), type, args: [] });
}

function fromFunction(node: TreeNode, scope: Scope): Node {
  const detail = detailOf(node);
  const name = attributeOf({ ...node, attributes: detail }, 'function_name');
  const type = /result_type: (.*)$/s.exec(detail)?.[1] ?? '';
  const how = detail.replace(/, result_type: .*$/s, '').replace(/^function_name: [^,]*, /, '');
  const isAggregate = /function_type: (aggregate|window)/.test(how);
  const args = node.children.map((child) => fromTree(child, scope));
  const called = toNode({ kind: 'FUNCTION', name, detail: how, type, args });
  const subcolumn =
    scope.hasSubcolumns && name === 'getSubcolumn' ? subcolumnOf(called, node) : null;
  if (subcolumn !== null) return subcolumn;
  return isAggregate ? canonicalAggregate(called, scope.names) : canonicalComparison(called);
}

/** A row that a JOIN adds has 0 as the subcolumn of a column, and 1 as that of the value, which is NULL. */
const OF_NULL = /(^|\.)null$/;

/** `tup.name` is a column where `tup` is one of a table, and this function where it is one of a subquery. */
function subcolumnOf({ type, args }: Node, node: TreeNode): Node | null {
  const [column] = args.flatMap(({ args: given }) => given);
  const path = argumentsOf(node)[1];
  const written = path === undefined ? null : stringOf(path);
  if (column === undefined || !isOfTable(column) || written === null || OF_NULL.test(written))
    return null;
  return toNode({ ...column, name: `${column.name}.${written}`, type });
}
