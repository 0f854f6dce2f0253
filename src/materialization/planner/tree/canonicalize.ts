/** Terms of the engine's query tree. */
import { attributeOf, type TreeNode } from '../../../sql/query-tree.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { asComparison, asMerged } from './canonical-functions.ts';
import { partTerm, type Term, toTerm } from './canonical-node.ts';

interface Scope {
  readonly names: AggregateNames;
  /** How many queries, and how many lambdas, are around it. */
  readonly depth: number;
  readonly lambdas: number;
  /** What a source of columns is called: its place in the query that reads it. */
  readonly labels: Map<number, string>;
  /** What the columns of a source stand for. */
  readonly given: ReadonlyMap<number, ReadonlyMap<string, Term>>;
}

/** @param given columns that other terms take the place of, by the id of their source. */
export function readTerm(
  node: TreeNode,
  names: AggregateNames,
  given: Scope['given'] = new Map(),
): Term {
  return read(node, { names, depth: -1, lambdas: 0, labels: new Map(), given });
}

function read(node: TreeNode, scope: Scope): Term {
  switch (node.kind) {
    case 'QUERY':
      return readQuery(node, { ...scope, depth: scope.depth + 1 });
    case 'COLUMN':
      return readColumn(node, scope);
    case 'CONSTANT':
      return readConstant(node, scope);
    case 'FUNCTION':
      return readFunction(node, scope);
    case 'LAMBDA':
      if (node.id !== null) scope.labels.set(node.id, `lambda ${scope.lambdas}`);
      return plain(node, { ...scope, lambdas: scope.lambdas + 1 });
    default:
      return node.id === null ? readPart(node, scope) : plain(node, scope);
  }
}

/** Names that an author or the engine gave, and what only says that a name was used. */
const NAMED =
  /^alias: .*?, (?=(?:column_name|table_name|table_function_name|is_\w+|function_name|strictness|kind|union_mode|constant_value|frame_type): )/s;
const SAID = /(?:^|, )(?:is_subquery: 1|is_cte: 1|cte_name: [^,]*|alias: [^,]*$)/g;

function detailOf(node: TreeNode): string {
  return node.attributes.replace(NAMED, '').replaceAll(SAID, '').replace(/^, /, '');
}

function plain(node: TreeNode, scope: Scope): Term {
  const args = node.children.map((child) => read(child, scope));
  return toTerm({ kind: node.kind, name: '', detail: detailOf(node), type: '', args });
}

/** A list is what it holds. */
function readPart(node: TreeNode, scope: Scope): Term {
  // The words behind it are those of the author.
  const name = node.kind.replace(/^EXPRESSION .*/s, 'EXPRESSION');
  if (name === 'PROJECTION COLUMNS') {
    const lines = node.children.map(({ kind, id, attributes }) => `${kind} ${id} ${attributes}`);
    return partTerm(name, [], lines.join('\n'));
  }
  const args = node.children
    .flatMap((child) => (child.kind === 'LIST' ? child.children : [child]))
    .map((child) => read(child, scope));
  return partTerm(name, args);
}

const sources = new Set('TABLE,TABLE_FUNCTION,QUERY,UNION,JOIN,CROSS JOIN,ARRAY_JOIN'.split(','));

function readQuery(node: TreeNode, scope: Scope): Term {
  label(
    node.children.filter(({ kind }) => kind === 'JOIN TREE'),
    scope,
  );
  const args = node.children.map((child) => read(child, scope));
  const sorted = args.sort((a, b) => (a.name < b.name ? -1 : 1));
  return toTerm({ kind: 'QUERY', name: '', detail: detailOf(node), type: '', args: sorted });
}

/** Numbers what a query reads, without looking into its subqueries. */
function label(nodes: readonly TreeNode[], { depth, labels }: Scope): void {
  let count = 0;
  const visit = (node: TreeNode) => {
    if (node.id !== null && sources.has(node.kind)) {
      labels.set(node.id, `${depth}.${count}`);
      count += 1;
    }
    if (node.kind === 'INTERPOLATE' && node.id !== null) labels.set(node.id, 'interpolate');
    if (node.kind === 'QUERY' || node.kind === 'UNION') return;
    for (const child of node.children) visit(child);
  };
  for (const node of nodes) visit(node);
}

const COLUMN = /^column_name: (.*), result_type: (.*?)(?:, source_id: (\d+))?$/s;

function readColumn(node: TreeNode, scope: Scope): Term {
  const [, name = '', type = '', id] = COLUMN.exec(node.attributes.replace(NAMED, '')) ?? [];
  const source = id === undefined ? null : Number(id);
  const given = source === null ? undefined : scope.given.get(source)?.get(name);
  if (given !== undefined) return given;
  const from = source === null ? undefined : scope.labels.get(source);
  // A source that nobody can name is like no other.
  const detail = from ?? `unknown ${node.id ?? ''}`;
  const args = node.children.map((child) => read(child, scope));
  return toTerm({ kind: 'COLUMN', name, detail, type, args });
}

/** What was evaluated is what it was computed from: the time goes on, and tables change. */
function readConstant(node: TreeNode, scope: Scope): Term {
  const type = /constant_value_type: (.*)$/s.exec(node.attributes)?.[1] ?? '';
  const source = node.children.find(({ kind }) => kind.startsWith('EXPRESSION'));
  const [computed] = source === undefined ? [] : readPart(source, scope).args;
  if (computed !== undefined) return { ...computed, type };
  return toTerm({ kind: 'CONSTANT', name: '', detail: detailOf(node), type, args: [] });
}

function readFunction(node: TreeNode, scope: Scope): Term {
  const detail = detailOf(node);
  const name = attributeOf({ ...node, attributes: detail }, 'function_name');
  const type = /result_type: (.*)$/s.exec(detail)?.[1] ?? '';
  const how = detail.replace(/, result_type: .*$/s, '').replace(/^function_name: [^,]*, /, '');
  const isAggregate = /function_type: (aggregate|window)/.test(how);
  const args = node.children.map((child) => read(child, scope));
  const called = toTerm({ kind: 'FUNCTION', name, detail: how, type, args });
  return isAggregate ? asMerged(called, scope.names) : asComparison(called);
}
