/** Whether a SELECT reads at least the rows of another one, as checks for the rows of all values have to. */
import {
  aggregatesOf,
  conjunctsOf,
  isArrayJoin,
  isWindow,
  ownNodes,
} from './canonical-functions.ts';
import { hasPart, type Node, partOf, walk } from './canonical-node.ts';
import { resultColumnsOf } from './push-down.ts';

/**
 * Whether the sources have at least the rows of the others, as often or more often. Columns of one name are the same;
 * each may have further ones.
 *
 * @param more contents of the JOIN TREE.
 */
export function haveRowsOf(more: readonly Node[], others: readonly Node[]): boolean {
  return (
    more.length === others.length &&
    more.every((node, at) => {
      const other = others[at];
      return other !== undefined && hasRowsOf(node, other);
    })
  );
}

function hasRowsOf(more: Node, other: Node): boolean {
  if (more.key === other.key) return true;
  if (more.kind !== other.kind || more.detail !== other.detail) return false;
  switch (more.kind) {
    case 'QUERY':
      return isRowByRow(more) && isRowByRow(other) && selectsRowsOf(more, other);
    case 'JOIN':
      return joinsRowsOf(more, other);
    case 'CROSS JOIN':
      return haveRowsOf(sidesOf(more), sidesOf(other)) && hasSameParts(more, other, SIDES);
    default:
      return false;
  }
}

const SIDES = /TABLE EXPRESSION/;

function sidesOf(join: Node): readonly Node[] {
  return join.args.flatMap((part) => (SIDES.test(part.name) ? part.args : []));
}

/**
 * Of a LEFT JOIN, a row that had no match before would have one with more rows on the right. What a row of the left
 * finds does not depend on others of the left, unless an ANY INNER JOIN takes one of them.
 */
const growing: Readonly<Record<string, RegExp>> = {
  'ALL INNER': SIDES,
  'ASOF INNER': /^LEFT TABLE/,
  LEFT: /^LEFT TABLE/,
  RIGHT: /^RIGHT TABLE/,
};

function joinsRowsOf(more: Node, other: Node): boolean {
  const [, strictness = '', kind = ''] = /strictness: (\w+), kind: (\w+)/.exec(more.detail) ?? [];
  const side = growing[kind] ?? growing[`${strictness} ${kind}`];
  if (side === undefined || !hasSameParts(more, other, side)) return false;
  return more.args.every((part, at) => {
    return !side.test(part.name) || haveRowsOf(part.args, other.args[at]?.args ?? []);
  });
}

/** @param but names of parts that may differ. */
function hasSameParts(more: Node, other: Node, but: RegExp): boolean {
  const isSame = (part: Node, at: number) => {
    const same = other.args[at];
    return part.name === same?.name && (but.test(part.name) || part.key === same.key);
  };
  return more.args.length === other.args.length && more.args.every(isSame);
}

const GROUPED = ['GROUP BY', 'HAVING', 'QUALIFY', 'LIMIT BY', 'LIMIT', 'OFFSET', 'ORDER BY'];

/** Whether each row of the result depends on one row of the sources alone. */
function isRowByRow(query: Node): boolean {
  return (
    query.detail === '' &&
    !GROUPED.some((part) => hasPart(query, part)) &&
    aggregatesOf(query).length === 0 &&
    !ownNodes(query).some((node) => isWindow(node) || isArrayJoin(node))
  );
}

function selectsRowsOf(more: Node, other: Node): boolean {
  const compared = /^(?:JOIN TREE|WHERE|PROJECTION|PROJECTION COLUMNS)$/;
  const others = (query: Node) => query.args.filter(({ name }) => !compared.test(name));
  const [own, theirs] = [columnsOf(more), columnsOf(other)];
  const conditions = new Set(conjunctsOf(partOf(other, 'WHERE')).map(({ key }) => key));
  return (
    others(more).length === others(other).length &&
    others(more).every((part, at) => part.key === others(other)[at]?.key) &&
    conjunctsOf(partOf(more, 'WHERE')).every(({ key }) => conditions.has(key)) &&
    own !== null &&
    theirs !== null &&
    [...theirs].every(([column, { key }]) => (own.get(column)?.key ?? key) === key) &&
    haveRowsOf(partOf(more, 'JOIN TREE'), partOf(other, 'JOIN TREE'))
  );
}

/** By name and type; null if two have the same. */
function columnsOf(query: Node): ReadonlyMap<string, Node> | null {
  const lines = resultColumnsOf(query).split('\n');
  const selected = partOf(query, 'PROJECTION');
  const columns = new Map(
    lines.flatMap((line, at): [string, Node][] => {
      const node = selected[at];
      return node === undefined ? [] : [[line, node]];
    }),
  );
  return columns.size === selected.length && columns.size === lines.length ? columns : null;
}

/**
 * Names of the columns that the sources have in addition, and in which all rows of the others have one value: a
 * condition compares them by `=` with something without columns.
 */
export function columnsOfOneValue(
  more: readonly Node[],
  others: readonly Node[],
): ReadonlySet<string> {
  const found = new Set<string>();
  more.forEach((node, at) => {
    const other = others[at];
    if (other !== undefined && node.key !== other.key) addColumns(node, other, found);
  });
  return found;
}

function addColumns(more: Node, other: Node, found: Set<string>): void {
  if (more.kind !== 'QUERY') {
    for (const name of columnsOfOneValue(sidesOf(more), sidesOf(other))) found.add(name);
    return;
  }
  const inner = columnsOfOneValue(partOf(more, 'JOIN TREE'), partOf(other, 'JOIN TREE'));
  const values = new Set(conjunctsOf(partOf(other, 'WHERE')).flatMap(comparedWithOneValue));
  const known = columnsOf(other);
  for (const [line, node] of columnsOf(more) ?? []) {
    const isOne = values.has(node.key) || (node.kind === 'COLUMN' && inner.has(node.name));
    if (isOne && known?.has(line) === false) found.add(line.split(' ')[0] ?? '');
  }
}

/** Keys of the sides of `=`, if the other one has no columns. */
export function comparedWithOneValue({ name, args }: Node): readonly string[] {
  if (name !== 'equals') return [];
  const sides = args.flatMap((part) => (part.name === 'ARGUMENTS' ? part.args : []));
  return sides.flatMap((side) => {
    const others = sides.filter((other) => other !== side);
    const isConstant = others.every((other) => ![...walk(other)].some(isColumn));
    return isConstant ? [side.key] : [];
  });
}

function isColumn({ kind }: Node): boolean {
  return kind === 'COLUMN' || kind === 'QUERY';
}
