/** On which columns of tables it depends whether a floating point number may be -0. */
import { tableNameOf } from '../../../sql/query-tree.ts';
import { FLOAT, HOLDS_FLOATS } from '../column-types.ts';
import { isAggregate, isWindow } from './canonical-functions.ts';
import { type Node, partOf } from './canonical-node.ts';
import { isOfTable, isSource } from './canonicalize.ts';
import type { PlacedQuery } from './placed-queries.ts';
import { resultColumnsOf } from './push-down.ts';
import { isFilled } from './total-order.ts';

/** A column that must not hold some numbers, so that what is computed of it is never -0. */
export interface ZeroSource {
  /** `database.table`, as the engine states it. */
  readonly table: string;
  readonly column: string;
  readonly isFloat: boolean;
  /** `zeros`: -0. `negative`: also numbers below zero. */
  readonly excluded: 'zeros' | 'negative';
}

type Sources = readonly ZeroSource[] | null;

/** None for a number that is never -0; null if it cannot be said. */
export function zeroSources(node: Node, place: PlacedQuery): Sources {
  if (!HOLDS_FLOATS.test(node.type)) return [];
  const own = ownSources(node, place);
  return own ?? signSources(node, place);
}

function ownSources(node: Node, place: PlacedQuery): Sources {
  const sources = (nodes: readonly Node[]) => ofAll(nodes, (each) => zeroSources(each, place));
  if (isOfTable(node)) return FLOAT.test(node.type) ? columnOf(node, place, 'zeros') : null;
  if (node.kind === 'CONSTANT') return ZERO.test(node.detail) ? null : [];
  if (node.kind === 'COLUMN') return ofOrigins(node, place, zeroSources);
  const passed = passedOn(node);
  if (passed !== null) return sources(passed);
  const args = partOf(node, 'ARGUMENTS');
  if (isAggregate(node)) return isNeverMinusZero(node, args) ? [] : null;
  if (isRatioOfIntegers(node, args) || isOfExactNumbers(node, args)) return [];
  // -0 + 0 is 0, and 0 - 0 as well.
  if (node.name === 'plus') return shortest(args.map((arg) => zeroSources(arg, place)));
  return node.name === 'minus' ? sources(args.slice(0, 1)) : null;
}

/** Sums begin with 0. An average is a sum divided by a count: -0 only if the sum is too near 0 to be divided, as those of integers and decimals never are. */
function isNeverMinusZero({ name }: Node, [summand]: readonly Node[]): boolean {
  if (/^sum(?:If|OrNull|OrDefault)*$/.test(name)) return true;
  const isAverage = /^avg(?:If|OrNull|OrDefault)*$/.test(name);
  return isAverage && EXACT.test(summand?.type ?? '');
}

/** Integers have no -0, and no negative divisor makes one of 0. */
function isRatioOfIntegers({ name }: Node, [divided, divisor]: readonly Node[]): boolean {
  const isRatio = name === 'divide' && UNSIGNED.test(divisor?.type ?? '');
  return isRatio && INTEGER.test(divided?.type ?? '');
}

/**
 * `toFloat64(at)`, `dateDiff('second', a, b) / 60.` and `n * 0.5`: neither the conversion of an exact number nor a
 * positive factor or divisor makes -0 of it, as those of integers are never too near 0.
 */
function isOfExactNumbers({ name }: Node, [left, right]: readonly Node[]): boolean {
  const isWhole = (node: Node | undefined): boolean =>
    INTEGER.test(node?.type ?? '') ||
    (node?.name === 'toFloat64' && partOf(node, 'ARGUMENTS').every(isWhole));
  const isPositive = (node: Node | undefined) => POSITIVE.test(node?.detail ?? '');
  if (name === 'toFloat64') return EXACT.test(left?.type ?? '') || TIME.test(left?.type ?? '');
  if (name === 'multiply' && isPositive(left)) return isWhole(right);
  return /^(?:multiply|divide)$/.test(name) && isWhole(left) && isPositive(right);
}

const TIME = /^(?:LowCardinality\(|Nullable\()*Date(?:32|Time(?:64)?)?\b/;
const POSITIVE = /^constant_value: Float64_(?!0\b(?!\.))\d/;
const ZERO = /^constant_value: (?:Nullable\()?Float\d+_-0\)?,/;

/** The columns of which none may have a number with a minus sign, so that the number has none. */
function signSources(node: Node, place: PlacedQuery): Sources {
  const { kind, type, name, detail } = node;
  const sources = (nodes: readonly Node[]) => ofAll(nodes, (each) => signSources(each, place));
  if (UNSIGNED.test(type)) return [];
  if (kind === 'CONSTANT') return /^constant_value: U?(?:Int|Float)\d+_\d/.test(detail) ? [] : null;
  if (isOfTable(node)) return SIGNED.test(type) ? columnOf(node, place, 'negative') : null;
  if (kind === 'COLUMN') return ofOrigins(node, place, signSources);
  const passed = passedOn(node);
  if (passed !== null) return sources(passed);
  if (kind !== 'FUNCTION' || isWindow(node)) return null;
  const args = partOf(node, 'ARGUMENTS');
  if (mayOverflow(node, args)) return null;
  if (isAggregate(node)) return KEEPS_SIGN_OF_ALL.test(name) ? sources(args.slice(0, 1)) : null;
  if (name === 'abs' || name === 'exp') return [];
  return KEEPS_SIGN.test(name) ? sources(args) : null;
}

/** Integers of 64 bits and more wrap to negative ones; smaller ones are added and multiplied in more bits. */
function mayOverflow({ name }: Node, args: readonly Node[]): boolean {
  const isSum = /^(?:sum|avg)(?:If|OrNull|OrDefault)*$/.test(name);
  const added = isSum ? args.slice(0, 1) : args;
  return (isSum || /^(?:plus|multiply)$/.test(name)) && added.some(({ type }) => WIDE.test(type));
}

const WIDE = /^(?:LowCardinality\(|Nullable\()*(?:Int(?:64|128|256)|Decimal\((?:19|[2-7]\d),)/;
const INTEGER = /^(?:LowCardinality\(|Nullable\()*U?Int\d+\)*$/;
const EXACT = /^(?:LowCardinality\(|Nullable\()*(?:U?Int\d+|Decimal\(.*?\))\)*$/;
const UNSIGNED = /^(?:LowCardinality\(|Nullable\()*UInt\d+\)*$/;
const SIGNED = /^(?:LowCardinality\(|Nullable\()*(?:Int\d+|Float(?:32|64)|Decimal\(.*?\))\)*$/;
const KEEPS_SIGN = /^(?:plus|multiply|divide|sqrt|round|floor|ceil|trunc|toFloat(?:32|64))$/;
const KEEPS_SIGN_OF_ALL = /^(?:sum|avg|median|quantile(?!s)[A-Za-z]*?)(?:If|OrNull|OrDefault)*$/;

const CHOOSES = /^(?:min|max|any|anyLast|argMin|argMax)(?:If|OrNull|OrDefault)*$/;
const CHOOSES_FROM_ROWS = /^(?:first_value|last_value|lag|lead|lagInFrame|leadInFrame)$/;

/** The arguments of which a function returns one as it is; null for other functions. */
function passedOn(node: Node): readonly Node[] | null {
  const args = partOf(node, 'ARGUMENTS');
  if (node.kind !== 'FUNCTION') return null;
  if (isAggregate(node) || isWindow(node)) {
    // The others are the row's offset and what is taken beyond the last row.
    if (CHOOSES_FROM_ROWS.test(node.name)) return args.filter((_arg, at) => at !== 1);
    return CHOOSES.test(node.name) ? args.slice(0, 1) : null;
  }
  if (/^(?:ifNull|coalesce|assumeNotNull|toNullable|identity|materialize)$/.test(node.name)) {
    return args;
  }
  if (node.name === 'if') return args.slice(1);
  if (node.name !== 'multiIf') return null;
  return args.filter((_arg, at) => at % 2 === 1 || at === args.length - 1);
}

function ofAll(nodes: readonly Node[], sourcesOf: (node: Node) => Sources): Sources {
  const all = nodes.map(sourcesOf);
  return all.includes(null) ? null : all.flatMap((found) => found ?? []);
}

function shortest(all: readonly Sources[]): Sources {
  const known = all.flatMap((found) => (found === null ? [] : [found]));
  return known.toSorted((a, b) => a.length - b.length)[0] ?? null;
}

function columnOf(
  { name, type, detail }: Node,
  place: PlacedQuery,
  excluded: ZeroSource['excluded'],
): Sources {
  const source = sourceOf(detail, place);
  const table = source === null ? '' : tableNameOf({ ...source, attributes: source.detail });
  // SummingMergeTree adds up rows, and integers may overflow.
  const isMerged = /\bfinal: 1\b/.test(source?.detail ?? '') && !/Float/.test(type);
  if (table === '' || isMerged) return null;
  return [{ table, column: name, isFloat: /Float/.test(type), excluded }];
}

/** The source of a column; null for that of an enclosing query. */
function sourceOf(detail: string, { query, depth }: PlacedQuery): Node | null {
  const [, level, at] = /^(\d+)\.(\d+)(?: table)?$/.exec(detail) ?? [];
  if (level !== String(depth)) return null;
  return sourcesOf(partOf(query, 'JOIN TREE'))[Number(at)] ?? null;
}

/** In the order of their numbers in the details of columns. */
function sourcesOf(nodes: readonly Node[]): readonly Node[] {
  return nodes.flatMap((node) => {
    const own = isSource(node) ? [node] : [];
    return node.kind === 'QUERY' || node.kind === 'UNION' ? own : [...own, ...sourcesOf(node.args)];
  });
}

/** Of what the subquery, or each member of a UNION, selects for the column. */
function ofOrigins(
  { name, detail }: Node,
  place: PlacedQuery,
  sourcesIn: (node: Node, place: PlacedQuery) => Sources,
): Sources {
  const source = sourceOf(detail, place);
  const members = source === null ? [] : membersOf(source);
  const [first] = members;
  const lines = first === undefined ? [] : resultColumnsOf(first).split('\n');
  const isNamed = (line: string) => line.startsWith(`${name} `);
  if (lines.filter(isNamed).length !== 1) return null;
  return ofAll(members, (query) => {
    const node = partOf(query, 'PROJECTION')[lines.findIndex(isNamed)];
    // INTERPOLATE computes values for the rows that are filled in.
    if (node === undefined || isFilled(query)) return null;
    return sourcesIn(node, { query, depth: place.depth + 1 });
  });
}

function membersOf(source: Node): readonly Node[] {
  if (source.kind === 'QUERY') return [source];
  return source.kind === 'UNION' ? partOf(source, 'QUERIES').flatMap(membersOf) : [];
}
