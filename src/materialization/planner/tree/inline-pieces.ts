/** Inlines a plan's pieces into its read, so that the result can be compared with the query. */
import { partOf, type TreeNode } from '../../../sql/query-tree.ts';

/** Matches pieces, which are CTEs with these names in the compared text. */
const PIECE = /(?:^|, )cte_name: (__querydock_piece_\d+)(?:,|$)/;

export interface InlinedRead {
  readonly root: TreeNode;
  /** The subtree of each piece, by its name. */
  readonly pieces: readonly { readonly name: string; readonly query: TreeNode }[];
}

interface Wrapper {
  readonly wrapper: TreeNode;
  readonly name: string;
  readonly query: TreeNode;
}

interface Inlining {
  readonly kindOf: (name: string) => string;
  readonly found: { readonly name: string; readonly query: TreeNode }[];
  /** Substitutes for columns, by source id and column name. */
  readonly columns: Map<number, ReadonlyMap<string, TreeNode>>;
}

/**
 * The tree of a read with its pieces inlined: their sources, predicates and groups move to the SELECT that reads
 * them. Null if a piece has something that cannot be moved.
 *
 * @param kindOf kind of a piece, by its name.
 */
export function inlinePieces(root: TreeNode, kindOf: (name: string) => string): InlinedRead | null {
  const inlining: Inlining = { kindOf, found: [], columns: new Map() };
  const expanded = expand(root, inlining);
  if (expanded === null) return null;
  return { root: substitute(expanded, inlining.columns), pieces: inlining.found };
}

function expand(node: TreeNode, inlining: Inlining): TreeNode | null {
  const wrapped = wrappedPiece(node);
  if (wrapped !== null) return node;
  const children: TreeNode[] = [];
  for (const child of node.children) {
    const expanded = expand(child, inlining);
    if (expanded === null) return null;
    children.push(expanded);
  }
  const whole = { ...node, children };
  return node.kind === 'QUERY' ? expandQuery(whole, inlining) : whole;
}

/** The piece in a `(WITH … SELECT * FROM …)` that replaces its table. */
function wrappedPiece(node: TreeNode): Wrapper | null {
  if (node.kind !== 'QUERY') return null;
  const [query, ...others] = partOf(node, 'JOIN TREE');
  const name = query === undefined ? undefined : PIECE.exec(query.attributes)?.[1];
  if (query === undefined || name === undefined || others.length > 0) return null;
  return { wrapper: node, name, query };
}

function expandQuery(node: TreeNode, inlining: Inlining): TreeNode | null {
  const sources = partOf(node, 'JOIN TREE');
  const wrappers = sources.flatMap(wrappersIn);
  const [only] = sources;
  const isAlone = wrappers.length === 1 && wrappers[0]?.wrapper === only;
  let query: TreeNode | null = node;
  for (const found of wrappers) {
    if (query === null) return null;
    inlining.found.push({ name: found.name, query: found.query });
    const kind = inlining.kindOf(found.name);
    if (kind === 'result') return isAlone ? resultOf(query, found) : null;
    if (!rememberColumns(found, inlining)) return null;
    if (kind === 'groups') query = isAlone ? withGroups(query, found) : null;
    else if (kind === 'states') query = isAlone ? withStates(query, found) : null;
    else query = withRows(query, found, isAlone);
  }
  return query;
}

/** The wrapped pieces among one SELECT's sources. */
function wrappersIn(node: TreeNode): readonly Wrapper[] {
  const own = wrappedPiece(node);
  if (own !== null) return [own];
  if (node.kind === 'QUERY' || node.kind === 'UNION') return [];
  return node.children.flatMap(wrappersIn);
}

function rememberColumns({ wrapper, query }: Wrapper, { columns }: Inlining): boolean {
  const expressions = partOf(query, 'PROJECTION');
  const read = partOf(wrapper, 'PROJECTION');
  if (wrapper.id === null || read.length !== expressions.length) return false;
  const own = new Map<string, TreeNode>();
  read.forEach((node, at) => {
    const [column, expression] = [columnOf(node), expressions[at]];
    if (column !== null && expression !== undefined) own.set(column.name, expression);
  });
  columns.set(wrapper.id, own);
  return own.size === read.length;
}

const COLUMN =
  /^(?:alias: .*?, )?column_name: (?<name>.*), result_type: .*?(?:, source_id: (?<source>\d+))?$/s;

interface Column {
  readonly name: string;
  /** Source id; null if the column has no source. */
  readonly source: number | null;
}

function columnOf({ kind, attributes }: TreeNode): Column | null {
  const found = kind === 'COLUMN' ? COLUMN.exec(attributes)?.groups : undefined;
  if (found === undefined) return null;
  const { name = '', source } = found;
  return { name, source: source === undefined ? null : Number(source) };
}

const isPart =
  (...names: readonly string[]) =>
  (child: TreeNode) =>
    child.id === null && names.includes(child.kind);

/** Whether the query has only these parts, and no DISTINCT. */
function hasOnly(query: TreeNode, ...names: readonly string[]): boolean {
  const plain = query.attributes.replace(
    /(?:^|, )(?:alias|cte_name|is_cte|is_subquery): [^,]*/g,
    '',
  );
  return query.kind === 'QUERY' && plain === '' && query.children.every(isPart(...names));
}

const ofRows = ['PROJECTION COLUMNS', 'PROJECTION', 'JOIN TREE', 'WHERE'];

function withRows(
  query: TreeNode,
  { wrapper, query: piece }: Wrapper,
  isAlone: boolean,
): TreeNode | null {
  const where = partNodes(piece, 'WHERE');
  const [source, ...others] = partNodes(piece, 'JOIN TREE');
  if (!hasOnly(piece, ...ofRows) || source === undefined || others.length > 0) return null;
  if (!isAlone && where.length > 0) return null;
  const children = query.children.map((child) =>
    isPart('JOIN TREE')(child) ? replaceNode(child, wrapper, source) : child,
  );
  return withPart({ ...query, children }, 'WHERE', [...partNodes(query, 'WHERE'), ...where]);
}

function withGroups(query: TreeNode, { wrapper, query: piece }: Wrapper): TreeNode | null {
  const isGrouping = query.children.some(isPart('GROUP BY', 'HAVING')) || hasAggregates(query);
  const [source] = partNodes(piece, 'JOIN TREE');
  if (isGrouping || source === undefined || !hasOnly(piece, ...ofRows, 'GROUP BY')) return null;
  const children = query.children.map((child) =>
    isPart('JOIN TREE')(child) ? replaceNode(child, wrapper, source) : child,
  );
  const having = withPart({ ...query, children }, 'HAVING', partNodes(query, 'WHERE'));
  const filtered = withPart(having, 'WHERE', partNodes(piece, 'WHERE'));
  return withPart(filtered, 'GROUP BY', partNodes(piece, 'GROUP BY'));
}

/**
 * The groups of a piece are parts of those of the SELECT. Its partial results stand within merging aggregates, which are
 * the aggregates themselves in canonical form; elsewhere no query has such a tree.
 */
function withStates(query: TreeNode, { wrapper, query: piece }: Wrapper): TreeNode | null {
  const isGrouping = query.children.some(isPart('GROUP BY')) || hasAggregates(query);
  const [source, ...others] = partNodes(piece, 'JOIN TREE');
  if (!isGrouping || !hasOnly(piece, ...ofRows, 'GROUP BY')) return null;
  if (source === undefined || others.length > 0) return null;
  const children = query.children.map((child) =>
    isPart('JOIN TREE')(child) ? replaceNode(child, wrapper, source) : child,
  );
  const where = [...partNodes(query, 'WHERE'), ...partNodes(piece, 'WHERE')];
  return withPart({ ...query, children }, 'WHERE', where);
}

/** Checks the SELECT itself, without its subqueries. */
function hasAggregates(node: TreeNode): boolean {
  if (/function_type: aggregate/.test(node.attributes) && node.kind === 'FUNCTION') return true;
  return node.children.some(
    (child) => child.kind !== 'QUERY' && child.kind !== 'UNION' && hasAggregates(child),
  );
}

/** The piece itself, if the SELECT does nothing but select its columns. */
function resultOf(query: TreeNode, { wrapper, query: piece }: Wrapper): TreeNode | null {
  if (!hasOnly(query, 'PROJECTION COLUMNS', 'PROJECTION', 'JOIN TREE')) return null;
  const selected = partOf(query, 'PROJECTION').map(columnOf);
  const all = partOf(wrapper, 'PROJECTION').map(columnOf);
  const isAll = all.every(
    (column, at) => selected[at]?.name === column?.name && selected[at]?.source === wrapper.id,
  );
  if (!isAll || selected.length !== all.length) return null;
  const names = query.children.filter(isPart('PROJECTION COLUMNS'));
  const others = piece.children.filter((child) => !isPart('PROJECTION COLUMNS')(child));
  const children = piece.kind === 'QUERY' ? [...names, ...others] : piece.children;
  return { ...piece, id: query.id, children };
}

/** The children of a part, including the list node around them. */
function partNodes(node: TreeNode, name: string): readonly TreeNode[] {
  return node.children.find(isPart(name))?.children ?? [];
}

function withPart(node: TreeNode, name: string, children: readonly TreeNode[]): TreeNode {
  const others = node.children.filter((child) => !isPart(name)(child));
  if (children.length === 0) return { ...node, children: others };
  const part: TreeNode = { kind: name, id: null, attributes: '', parent: null, children };
  return { ...node, children: [...others, part] };
}

function replaceNode(node: TreeNode, old: TreeNode, by: TreeNode): TreeNode {
  if (node.id !== null && node.id === old.id) return by;
  return { ...node, children: node.children.map((child) => replaceNode(child, old, by)) };
}

function substitute(
  node: TreeNode,
  columns: ReadonlyMap<number, ReadonlyMap<string, TreeNode>>,
): TreeNode {
  const column = columnOf(node);
  const own = column?.source == null ? undefined : columns.get(column.source);
  const expression = column === null ? undefined : own?.get(column.name);
  if (expression !== undefined) return expression;
  return { ...node, children: node.children.map((child) => substitute(child, columns)) };
}
