/**
 * Parses the lines of `EXPLAIN QUERY TREE`. Pure.
 *
 * With `run_passes = 0` nothing is resolved or evaluated yet; with `passes = 1` names, types and functions are
 * resolved, but nothing is rewritten yet.
 */
import {
  type ClickHouseType,
  parseClickHouseType,
  unescaped,
  withoutWrappers,
} from './clickhouse-type.ts';

export interface TreeNode {
  /**
   * `QUERY`, `FUNCTION`, `CONSTANT` …; for a line without an id the whole line, such as `ARGUMENTS` or `PROJECTION`.
   */
  readonly kind: string;
  /** Null for a line that only names a part of its parent node. A node that is printed twice has the same id. */
  readonly id: number | null;
  /** The text after the id: `function_name: plus, function_type: ordinary`. */
  readonly attributes: string;
  readonly parent: TreeNode | null;
  readonly children: readonly TreeNode[];
}

interface Growing extends TreeNode {
  readonly parent: Growing | null;
  readonly children: Growing[];
  readonly depth: number;
}

/** Every node, parents first. Null unless the lines are a tree with one root. */
export function readQueryTree(lines: readonly string[]): readonly TreeNode[] | null {
  const nodes: Growing[] = [];
  let open: Growing[] = [];
  for (const line of lines) {
    // An empty list, such as the set of no columns in GROUPING SETS, ends with an empty line.
    if (line.trim() === '') continue;
    const indent = line.length - line.trimStart().length;
    const names = open.findLast(({ kind, depth }) => kind === COLUMNS && depth < indent);
    // Names of columns may begin with spaces, or look like a node.
    const depth = names === undefined ? indent : names.depth + 2;
    open = open.filter((node) => node.depth < depth);
    const parent = open.at(-1) ?? null;
    if (parent === null && nodes.length > 0) return null;
    const text = line.slice(depth);
    const node = toNode(text, {
      depth,
      parent,
      found: names === undefined ? NODE.exec(text) : null,
    });
    parent?.children.push(node);
    open.push(node);
    nodes.push(node);
  }
  return nodes.length > 0 && nodes.every(isWhole) ? nodes : null;
}

/** Checks the node count that a list states, which a line break inside a text would change. */
function isWhole({ kind, attributes, children }: TreeNode): boolean {
  const count = kind === 'LIST' ? /^nodes: (\d+)$/.exec(attributes)?.[1] : undefined;
  return count === undefined || Number(count) === children.length;
}

const NODE = /^([A-Z][A-Z_ ]*?) id: (\d+)(?:, (.*))?$/s;

/** The part of a QUERY with a line for the name and type of each column. */
const COLUMNS = 'PROJECTION COLUMNS';

interface Place extends Pick<Growing, 'depth' | 'parent'> {
  /** Null for a line without an id. */
  readonly found: RegExpExecArray | null;
}

function toNode(line: string, { depth, parent, found }: Place): Growing {
  const kind = found?.[1] ?? line.trimEnd();
  const id = found === null ? null : Number(found[2]);
  return { kind, id, attributes: found?.[3] ?? '', parent, children: [], depth };
}

/** The nodes with an id, as they are printed first: one that is printed again has no children there. */
export function nodesById(nodes: readonly TreeNode[]): ReadonlyMap<number, TreeNode> {
  const byId = new Map<number, TreeNode>();
  for (const node of nodes) {
    if (node.id !== null && !byId.has(node.id)) byId.set(node.id, node);
  }
  return byId;
}

/** The node and all below it, parents first. */
export function nodesIn(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.children.flatMap(nodesIn)];
}

/** The nodes of a named part, without the enclosing list. */
export function partOf(node: TreeNode, name: string): readonly TreeNode[] {
  const part = node.children.find((child) => child.id === null && child.kind === name);
  return (part?.children ?? []).flatMap((child) =>
    child.kind === 'LIST' ? child.children : [child],
  );
}

/** What an element of ORDER BY sorts by. Its part is named after the column where that has a name. */
export function sortedValue(sort: TreeNode): TreeNode | undefined {
  return sort.children.find(({ kind }) => /^EXPRESSION\b/.test(kind))?.children[0];
}

export function hasPart(node: TreeNode, name: string): boolean {
  return node.children.some((child) => child.id === null && child.kind === name);
}

/** The SELECTs of a UNION, however nested; the node itself if it is none. */
export function operandsOf(node: TreeNode): readonly TreeNode[] {
  return node.kind === 'UNION' ? partOf(node, 'QUERIES').flatMap(operandsOf) : [node];
}

/** Arguments of a function or a table function. */
export function argumentsOf(node: TreeNode): readonly TreeNode[] {
  return partOf(node, 'ARGUMENTS');
}

/** The function whose argument a node is. */
export function functionAround(node: TreeNode | null): TreeNode | null {
  const list = node?.parent ?? null;
  const part = list?.kind === 'LIST' ? list.parent : list;
  return part?.kind === 'ARGUMENTS' && part.parent?.kind === 'FUNCTION' ? part.parent : null;
}

/** The constant that the engine has evaluated a function to. */
export function valueAround(call: TreeNode | null): TreeNode | null {
  const value = call?.parent?.kind === 'EXPRESSION' ? call.parent.parent : call;
  return value ?? null;
}

/** The value that was wrapped in two calls with a mark among the operands of the inner one. */
export function valueOfMark(mark: TreeNode): TreeNode | null {
  return valueAround(functionAround(valueAround(functionAround(mark))));
}

/** The operands of AND, however nested; the condition itself if it is none. */
export function conjunctsOf(condition: TreeNode): readonly TreeNode[] {
  const isAnd = attributeOf(condition, 'function_name') === 'and';
  return isAnd ? argumentsOf(condition).flatMap(conjunctsOf) : [condition];
}

const COMPARISON =
  /^(?:equals|notEquals|less|greater|lessOrEquals|greaterOrEquals|isNotDistinctFrom|isDistinctFrom)$/;

/** Whether it compares two values. */
export function isComparison(node: TreeNode): boolean {
  return COMPARISON.test(attributeOf(node, 'function_name'));
}

const IN = /^(?:global)?(?:not)?(?:null)?in(?:ignoreset)?$/i;

/** Whether it is an IN. */
export function isSearch(node: TreeNode): boolean {
  return IN.test(attributeOf(node, 'function_name'));
}

export function isAggregate(node: TreeNode): boolean {
  return attributeOf(node, 'function_type') === 'aggregate';
}

/** Whether a NOT is around it, maybe with AND and OR in it. */
export function isWithinNot(node: TreeNode): boolean {
  const around = functionAround(node);
  const name = attributeOf(around ?? node, 'function_name');
  return name === 'not' || (around !== null && /^(?:and|or)$/.test(name) && isWithinNot(around));
}

/** An attribute such as `function_name`; empty when absent. Only for values without a comma. */
export function attributeOf(node: TreeNode, name: string): string {
  const pattern = attributePatterns.get(name) ?? new RegExp(`(?:^|, )${name}: ([^,]*)`);
  attributePatterns.set(name, pattern);
  return pattern.exec(node.attributes)?.[1] ?? '';
}

/** Compiled once per name, because the guard reads attributes of every node of a text several times. */
const attributePatterns = new Map<string, RegExp>();

const TYPE = /(?:result_type|constant_value_type): (.*?)(?:, source_id: \d+)?$/s;

/** The type of a COLUMN, a FUNCTION or a CONSTANT; empty for other nodes. */
export function typeOf({ attributes }: TreeNode): string {
  return TYPE.exec(attributes)?.[1] ?? '';
}

/** The same without Nullable and LowCardinality. */
export function bareTypeOf(node: TreeNode): ClickHouseType {
  return withoutWrappers(parseClickHouseType(typeOf(node)));
}

const TABLE =
  /(?:^|, )table_name: (.*?)(?:, final: \d)?(?:, sample_size: [^,]*)?(?:, sample_offset: [^,]*)?(?:, table_expression_modifiers: .*)?$/s;

/** `database.table` of a TABLE; empty for any other node. */
export function tableNameOf({ kind, attributes }: Pick<TreeNode, 'kind' | 'attributes'>): string {
  return kind === 'TABLE' ? (TABLE.exec(attributes)?.[1] ?? '') : '';
}

export interface TreeColumn {
  readonly name: string;
  readonly type: string;
  /** Id of the node that it is a column of; null where the tree does not state it. */
  readonly source: number | null;
}

const COLUMN = /^(?:alias: .*?, )?column_name: (.*), result_type: (.*?)(?:, source_id: (\d+))?$/s;

/** Null for any other node than a COLUMN. */
export function columnOf({ kind, attributes }: TreeNode): TreeColumn | null {
  const [, name, type = '', id] = (kind === 'COLUMN' ? COLUMN.exec(attributes) : null) ?? [];
  if (name === undefined) return null;
  return { name, type, source: id === undefined ? null : Number(id) };
}

const STRING = /constant_value: ('(?:[^'\\]|\\.)*'), constant_value_type: String$/s;

/** The value of a String constant; null for any other node. */
export function stringOf(node: TreeNode): string | null {
  if (node.kind !== 'CONSTANT') return null;
  const written = STRING.exec(node.attributes)?.[1];
  // A doubled quote stays doubled here, unlike in a type's text.
  return written?.slice(1, -1).replace(/\\(.)/gs, (_all, char: string) => unescaped(char)) ?? null;
}

/** The value of an integer constant; infinite for any other node. */
export function numberOf(node: TreeNode): number {
  const written = /constant_value: U?Int64_(\d+),/.exec(node.attributes)?.[1];
  return node.kind === 'CONSTANT' && written !== undefined
    ? Number(written)
    : Number.POSITIVE_INFINITY;
}
