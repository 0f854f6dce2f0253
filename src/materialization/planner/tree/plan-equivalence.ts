/**
 * Whether a plan answers its query: the read of the stored table, with the stored query's expressions in the place of
 * the stored columns, must be the query itself as the engine understands it.
 */
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { asComparison, conditionsOf, isAggregate } from './canonical-functions.ts';
import {
  hasPart,
  partTerm,
  replaced,
  type Term,
  termsOf,
  toTerm,
  walk,
  withPart,
} from './canonical-node.ts';
import { readTerm } from './canonicalize.ts';

export interface Composed {
  /** The read over the expressions of the stored query. */
  readonly read: Term;
  /** The SELECT whose rows the table holds. */
  readonly inner: Term;
  /** By name of the stored column. */
  readonly columns: ReadonlyMap<string, Term>;
  /** Whether the read groups and puts aggregates together itself. */
  readonly isMerging: boolean;
}

/** Null for lines that are no tree of a SELECT. */
export function readOriginal(lines: readonly string[], names: AggregateNames): Term | null {
  const root = readQueryTree(lines)?.[0];
  return root?.kind === 'QUERY' ? readTerm(root, names) : null;
}

/** Whether two texts are the same query but for the names of its columns. */
export function isSameQuery(a: Term, b: Term): boolean {
  return difference(a, b, { held: new Set(), depth: 0 }) === null;
}

/** @param lines of the read query with the stored query in the place of its table. */
export function readComposed(lines: readonly string[], names: AggregateNames): Composed | null {
  const root = readQueryTree(lines)?.[0];
  const wrapper = root === undefined ? null : onlySource(root);
  const node = wrapper === null ? null : onlySource(wrapper);
  if (root === undefined || wrapper?.id == null || node === null) return null;
  const inner = readTerm(node, names);
  const projection = termsOf(inner, 'PROJECTION');
  const columns = new Map<string, Term>();
  columnNames(inner).forEach((name, at) => {
    const term = projection[at];
    if (term !== undefined) columns.set(name, term);
  });
  const read = readTerm(root, names, new Map([[wrapper.id, columns]]));
  const isMerging = aggregatesOf(readTerm(root, names)).length > 0 || hasPart(read, 'GROUP BY');
  return { read, inner, columns, isMerging };
}

function onlySource(node: TreeNode): TreeNode | null {
  const sources = node.children.find(({ kind }) => kind === 'JOIN TREE')?.children ?? [];
  const [source] = sources;
  return sources.length === 1 && source?.kind === 'QUERY' ? source : null;
}

/** Of a query's result, up to the first blank, which none of our own names holds. */
function columnNames(query: Term): readonly string[] {
  const part = query.args.find(({ name }) => name === 'PROJECTION COLUMNS');
  return (part?.detail ?? '').split('\n').map((line) => line.split(' ')[0] ?? '');
}

/** Aggregates of the query's own, not of its subqueries. */
export function aggregatesOf(query: Term): readonly Term[] {
  return ownTerms(query).filter(isAggregate);
}

/** What a query computes itself: all but what it reads from, and what its subqueries compute. */
export function ownTerms(query: Term): readonly Term[] {
  return query.args
    .filter(({ name }) => name !== 'JOIN TREE')
    .flatMap((part) => [...walk(part, ({ kind }) => kind !== 'QUERY' && kind !== 'UNION')]);
}

/** What is cut, ordered or filled where the rows are stored would be lost or done twice. */
const ofReads = [
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
export function disagreement(original: Term, composed: Composed): string | null {
  const { read, inner, columns, isMerging } = composed;
  const lost = ofReads.find((part) => hasPart(inner, part));
  if (lost !== undefined) return lost;
  if (inner.detail !== '' && inner.detail !== read.detail) return 'DISTINCT';
  const variables = groupingKeys(
    [...columns].flatMap(([name, term]) => (name.startsWith('__v') ? [term] : [])),
  );
  const grouping = isMerging ? groupingOf(original, read, inner, variables) : inner;
  if (grouping === null) return 'GROUP BY';
  if (isMerging && hasPart(inner, 'HAVING')) return 'HAVING';
  const having = isMerging ? read : inner;
  const where = [...termsOf(inner, 'WHERE'), ...termsOf(read, 'WHERE')];
  let whole = withPart(read, 'JOIN TREE', termsOf(inner, 'JOIN TREE'));
  whole = withPart(whole, 'WHERE', where);
  whole = withPart(whole, 'GROUP BY', termsOf(grouping, 'GROUP BY'));
  whole = withPart(whole, 'HAVING', termsOf(having, 'HAVING'));
  return difference(original, sink(whole, 0), { held: variables, depth: 0 });
}

/** The engine groups by a tuple as by each of its elements. */
export function groupingTerms(term: Term): readonly Term[] {
  if (term.kind !== 'FUNCTION' || term.name !== 'tuple') return [term];
  return termsOf(term, 'ARGUMENTS').flatMap(groupingTerms);
}

function groupingKeys(terms: readonly Term[]): ReadonlySet<string> {
  return new Set(terms.flatMap(groupingTerms).map(({ key }) => key));
}

/** Whose keys the plan groups by, which must be those of the query. */
function groupingOf(
  original: Term,
  read: Term,
  inner: Term,
  variables: ReadonlySet<string>,
): Term | null {
  const keys = keysIn(original);
  const projected = termsOf(original, 'PROJECTION').filter(
    (term) => ![...walk(term)].some(isAggregate),
  );
  const more = groupingKeys(projected);
  const isRead = isWithin(keys, keysIn(read), keys.size === 0 ? new Set() : more);
  const isStored = isWithin(keys, keysIn(inner), variables);
  return isRead && isStored ? original : null;
}

function keysIn(query: Term): ReadonlySet<string> {
  return groupingKeys(termsOf(query, 'GROUP BY'));
}

/** Whether the keys are there, and with them nothing but what may be. */
function isWithin(
  keys: ReadonlySet<string>,
  found: ReadonlySet<string>,
  more: ReadonlySet<string>,
): boolean {
  const isOther = [...found].some((key) => !keys.has(key) && !more.has(key));
  return !isOther && [...keys].every((key) => found.has(key));
}

const HELD = /^__h\d+$/;

/** The subqueries out of which a condition was moved up. */
export function movedThrough(query: Term): readonly Term[] {
  const [source] = termsOf(query, 'JOIN TREE');
  if (source?.kind !== 'QUERY' || !columnNames(source).some((name) => HELD.test(name))) return [];
  return [source, ...movedThrough(source)];
}

/** Conditions on columns that were moved up out of a subquery, moved down into it again. */
function sink(query: Term, depth: number): Term {
  const [source, ...others] = termsOf(query, 'JOIN TREE');
  if (source?.kind !== 'QUERY' || others.length > 0) return query;
  const names = columnNames(source);
  const projection = termsOf(source, 'PROJECTION');
  const held = new Map(
    names.flatMap((name, at): [string, Term][] => {
      const term = projection[at];
      return HELD.test(name) && term !== undefined ? [[name, term]] : [];
    }),
  );
  if (held.size === 0) return query;
  const ownLabel = `${depth}.`;
  const conditions = conditionsOf(termsOf(query, 'WHERE')).map((condition) => {
    const written = replaced(condition, (term) =>
      term.kind === 'COLUMN' && term.detail === `${ownLabel}0`
        ? (held.get(term.name) ?? null)
        : null,
    );
    const moved = written === condition ? condition : asComparison(written);
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
  const isOwn = (_term: unknown, at: number) => !HELD.test(names[at] ?? '');
  let inner = withPart(source, 'WHERE', [...termsOf(source, 'WHERE'), ...sunk]);
  inner = withPart(inner, 'PROJECTION', projection.filter(isOwn));
  inner = withHeld(inner, [...held.values()]);
  return withPart(withPart(query, 'WHERE', kept), 'JOIN TREE', [sink(inner, depth + 1)]);
}

/** Notes in place of the columns' names which expressions may stand in GROUP BY for the moved conditions. */
function withHeld(query: Term, held: readonly Term[]): Term {
  const args = query.args.map((part) => {
    if (part.name !== 'PROJECTION COLUMNS') return part;
    const lines = part.detail.split('\n').filter((line) => !HELD.test(line.split(' ')[0] ?? ''));
    return partTerm(part.name, held, lines.join('\n'));
  });
  return toTerm({ ...query, args });
}

interface Allowed {
  /** Keys of expressions by which the plan may group as well. */
  readonly held: ReadonlySet<string>;
  readonly depth: number;
}

function difference(original: Term, planned: Term, { held, depth }: Allowed): string | null {
  if (original.detail !== planned.detail) return 'DISTINCT or GROUP BY';
  const names = new Set([...original.args, ...planned.args].map(({ name }) => name));
  for (const name of names) {
    const [a, b] = [termsOf(original, name), termsOf(planned, name)];
    if (name === 'PROJECTION COLUMNS') {
      if (depth > 0 && detailOf(original) !== detailOf(planned)) return 'SELECT';
    } else if (name === 'WHERE') {
      if (sortedKeys(conditionsOf(a)) !== sortedKeys(conditionsOf(b))) return 'WHERE';
    } else if (name === 'GROUP BY') {
      if (!isWithin(keysIn(original), keysIn(planned), held)) return 'GROUP BY';
    } else if (name === 'JOIN TREE') {
      const other = sourceDifference(a, b, depth);
      if (other !== null) return other;
    } else if (partTerm(name, a).key !== partTerm(name, b).key) {
      return name === 'PROJECTION' ? 'SELECT' : name;
    }
  }
  return null;
}

function sourceDifference(a: readonly Term[], b: readonly Term[], depth: number): string | null {
  const [original, planned] = [a[0], b[0]];
  const isOne = a.length === 1 && b.length === 1;
  if (isOne && original?.kind === 'QUERY' && planned?.kind === 'QUERY') {
    const held = groupingKeys(termsOf(planned, 'PROJECTION COLUMNS'));
    return difference(original, planned, { held, depth: depth + 1 });
  }
  return partTerm('', a).key === partTerm('', b).key ? null : 'FROM';
}

function detailOf(query: Term): string {
  return query.args.find(({ name }) => name === 'PROJECTION COLUMNS')?.detail ?? '';
}

function sortedKeys(terms: readonly Term[]): string {
  const keys = [...new Set(terms.map(({ key }) => key))];
  return keys.sort().join('\n');
}
