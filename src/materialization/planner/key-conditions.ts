/** The sorting key of a stored table and the predicates through which reads use its index. */
import {
  type ClickHouseType,
  elementTypes,
  innerType,
  isNullable,
  numberArgument,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../sql/clickhouse-type.ts';
import { decimalsOf, isTimeType } from '../../sql/time-text.ts';
import { isIndexable, isSetOfTexts, isSortable, isTupleLookup } from './column-types.ts';
import type { ReadOrder } from './plan-context.ts';
import { rankOf, type SortingKey, sortingKeyOf } from './sorting-key.ts';
import { conditionOf, stored } from './stored-columns.ts';
import type { Comparison } from './text/comparisons.ts';
import { hasKeyword, textOf } from './text/tokens.ts';

/** A comparison of a stored column, with the engine's types of both sides. */
export interface TypedComparison {
  readonly comparison: Comparison;
  readonly columnType: string;
  readonly givenType: string;
  /** Whether the type depends on the value: for `{variables.name}`, a date may include a time. */
  readonly isTypeOpen: boolean;
}

interface KeyedRead extends SortingKey {
  readonly readQuery: string;
}

/**
 * Rewrites the read so that the index evaluates only predicates it evaluates exactly. Other predicates are hidden
 * from it by `identity` and paired with an implied predicate that it can use.
 *
 * @param order null unless reads have ORDER BY columns that a sorting key can hold.
 */
export function keyedRead(
  readQuery: string,
  comparisons: readonly TypedComparison[],
  order: ReadOrder | null = null,
): KeyedRead {
  const found = new Map<string, number>();
  for (const typed of comparisons) {
    const { column } = typed.comparison;
    const isKey = isPlain(typed) || impliedCondition(typed) !== null;
    const others = comparisons.filter(({ comparison }) => comparison.column === column);
    const canHide = others.every(
      (each) =>
        isPlain(each) ||
        (each.comparison.role !== 'part' && readQuery.includes(conditionOf(each.comparison))),
    );
    if (!(isSortable(typed.columnType) || isLookupOfTuple(typed)) || !isKey || !canHide) continue;
    const rank = rankOf(typed.comparison);
    const name = stored.variable(column);
    found.set(name, Math.min(rank, found.get(name) ?? rank));
  }
  const hidden = comparisons.filter(
    (each) => found.has(stored.variable(each.comparison.column)) && !isPlain(each),
  );
  return {
    ...sortingKeyOf(found, order),
    readQuery: hidden.reduce(
      (text, each) => text.replaceAll(conditionOf(each.comparison), () => hiddenCondition(each)),
      readQuery,
    ),
  };
}

/** Whether the index evaluates the comparison exactly as written. */
export function isPlain({
  comparison,
  columnType,
  givenType,
  isTypeOpen,
}: TypedComparison): boolean {
  if (columnType.startsWith('Tuple('))
    return isLookupOfTuple({ comparison, columnType, givenType });
  const isIndexed =
    isIndexable(columnType, givenType) ||
    (comparison.kind === 'set' && isSetOfTexts(columnType, givenType));
  return isIndexed && !(isTypeOpen && /Date/.test(givenType));
}

function isLookupOfTuple({
  comparison: { operator },
  columnType,
  givenType,
}: Pick<TypedComparison, 'comparison' | 'columnType' | 'givenType'>): boolean {
  return /^(?:=|IN)$/.test(operator) && isTupleLookup(columnType, givenType);
}

/** Whether the engine compares the column's time values without changing them, whatever type it converts them to. */
export function isUnchanged({ columnType, givenType, isTypeOpen }: TypedComparison): boolean {
  const own = withoutWrappers(parseClickHouseType(columnType));
  const given = withoutWrappers(parseClickHouseType(givenType));
  return (
    !isTypeOpen && isTimeType(own) && isTimeType(given) && !mayChange(own, comparedAs(own, given))
  );
}

function hiddenCondition(typed: TypedComparison): string {
  const { operator, right, column } = typed.comparison;
  const hidden = `(identity(${stored.variable(column)}) ${operator} ${textOf(right)})`;
  const implied = impliedCondition(typed);
  return implied === null ? hidden : `${hidden} AND ${implied}`;
}

/**
 * A predicate in the column's own type that is implied by a comparison with another time type: the given time is
 * rounded down to the column's type. Times that a conversion would change, on either side, are not excluded. Likewise for
 * a FixedString that is compared with a text, which is cut to its length. Null if there is no such predicate.
 *
 * @param name the column, or another of the same type that is compared in its place.
 */
export function impliedCondition(
  typed: TypedComparison,
  name = stored.variable(typed.comparison.column),
): string | null {
  const cases = impliedCases(typed, name);
  return cases === null ? null : anyOf(cases);
}

/** The conditions of which one holds then: the comparison in the column's own type first. */
export function impliedCases(typed: TypedComparison, name: string): readonly string[] | null {
  const { kind, right, operator } = typed.comparison;
  const own = withoutWrappers(parseClickHouseType(typed.columnType));
  // NULL <=> NULL is true, while a predicate over NULL is not.
  const hasNone = kind === 'scan' || operator === '<=>' || hasKeyword(right, 'SELECT');
  if (hasNone) return null;
  if (own.name === 'FixedString') return kind === 'set' ? null : cutCases(typed, own, name);
  if (!isTimeType(own)) return null;
  return kind === 'set' ? setCases(typed, own, name) : rangeCases(typed, own, name);
}

/** Beyond its own bytes a FixedString is like a text with zeros, which the index does not see. */
function cutCases(
  typed: TypedComparison,
  own: ClickHouseType,
  name: string,
): readonly string[] | null {
  const { operator, right, role } = typed.comparison;
  const given = withoutWrappers(parseClickHouseType(typed.givenType));
  if (!/^(Fixed)?String$/.test(given.name)) return null;
  // Of `a = {x} OR a = {y}` the engine makes an IN, which fails for longer texts; it makes none of other conditions.
  if (role === 'choice' && typed.columnType.includes('LowCardinality')) return null;
  const target = mayBeNull(typed) ? `Nullable(${typeToText(own)})` : typeToText(own);
  const cut = `CAST(substring(${textOf(right)}, 1, ${numberArgument(own, 0)}) AS ${target})`;
  return [boundsOf(name, operator, cut)];
}

function rangeCases(
  typed: TypedComparison,
  own: ClickHouseType,
  name: string,
): readonly string[] | null {
  const { operator, right } = typed.comparison;
  const { text, type, isOptional } = givenTime(textOf(right), typed);
  if (!isTimeType(type)) return null;
  const inner = typeToText(own);
  const target = isOptional ? `Nullable(${inner})` : inner;
  // A cast to DateTime64 fails outside its range.
  const mayFail = own.name === 'DateTime64' && mayChange(type, own);
  const given = mayFail ? `least(greatest(${text}, ${firstOf(type)}), ${lastOf(type)})` : text;
  const isUnclear = typed.isTypeOpen || hasUnclearZone(own, type) || hasUnclearZone(type, own);
  const inside = boundsOf(name, operator, `CAST(${given} AS ${target})`, isUnclear);
  return [inside, ...changedColumn(name, own, type), ...changedGiven(text, type, own)];
}

const anyOf = (conditions: readonly string[]) =>
  `(${conditions.map((each) => `(${each})`).join(' OR ')})`;

/** Years in which conversions between time types preserve the value. */
const firstYear = 1971;
const lastYear = 2105;

const firstOf = (type: ClickHouseType) => timeOf(`${firstYear}-01-01`, type);
const lastOf = (type: ClickHouseType) => timeOf(`${lastYear + 1}-01-01`, type);

function timeOf(day: string, type: ClickHouseType): string {
  const time = type.name.startsWith('DateTime') ? `${day} 00:00:00` : day;
  return `CAST('${time}' AS ${typeToText(type)})`;
}

/** Column values that the engine may change when it converts them for the comparison. */
function changedColumn(name: string, own: ClickHouseType, given: ClickHouseType) {
  if (!mayChange(own, comparedAs(own, given))) return [];
  return [`${name} < ${firstOf(own)}`, `${name} > ${lastOf(own)}`];
}

/** Given times that may change, either in the comparison or in the cast to the column's type. */
function changedGiven(text: string, given: ClickHouseType, own: ClickHouseType) {
  const isKept = !mayChange(given, own) && !mayChange(given, comparedAs(own, given));
  return isKept ? [] : [`toYear(${text}) NOT BETWEEN ${firstYear} AND ${lastYear}`];
}

/** The common type in which the engine compares two times. */
function comparedAs(a: ClickHouseType, b: ClickHouseType): ClickHouseType {
  const names = [a.name, b.name];
  if (a.name === b.name && a.name !== 'DateTime64') return a;
  if (names.every((name) => name.startsWith('Date') && !name.startsWith('DateTime'))) {
    return parseClickHouseType('Date32');
  }
  if (names.includes('Date') && names.includes('DateTime')) return parseClickHouseType('DateTime');
  return parseClickHouseType(`DateTime64(${Math.max(decimalsOf(a), decimalsOf(b))})`);
}

/** Whether `from` has times outside the range of `to`: they wrap, saturate or fail. */
function mayChange(from: ClickHouseType, to: ClickHouseType): boolean {
  const [first, last] = yearsOf(from);
  const [otherFirst, otherLast] = yearsOf(to);
  return first < otherFirst || last > otherLast;
}

function yearsOf(type: ClickHouseType): readonly [first: number, last: number] {
  if (type.name === 'Date') return [1970, 2149];
  if (type.name === 'DateTime') return [1970, 2106];
  return [1900, decimalsOf(type) > 8 ? 2262 : 2299];
}

/** @param isUnclear the engine may use either of two time zones, so the bounds are widened by a day. */
function boundsOf(name: string, operator: string, value: string, isUnclear = false): string {
  const lower = `${name} >= ${value}${isUnclear ? ' - INTERVAL 1 DAY' : ''}`;
  const upper = `${name} <= ${value}${isUnclear ? ' + INTERVAL 1 DAY' : ''}`;
  if (operator.startsWith('>')) return lower;
  if (operator.startsWith('<')) return upper;
  return isUnclear ? `${lower} AND ${upper}` : `${name} = ${value}`;
}

/** Measured: a Date32 starts in the server's time zone when compared with a DateTime that has its own. */
function hasUnclearZone(day: ClickHouseType, time: ClickHouseType): boolean {
  return day.name === 'Date32' && time.name === 'DateTime' && time.args !== null;
}

/** A variable of an open type is NULL in runs that leave it out. */
function mayBeNull({ givenType, isTypeOpen }: TypedComparison): boolean {
  return isTypeOpen || isNullable(parseClickHouseType(givenType));
}

/** The right-hand side in a type that does not depend on the value. */
function givenTime(right: string, typed: TypedComparison) {
  const { isTypeOpen } = typed;
  const isOptional = mayBeNull(typed);
  const type = withoutWrappers(parseClickHouseType(typed.givenType));
  if (!isTypeOpen || !isTimeType(type)) return { text: `(${right})`, type, isOptional };
  const open = parseClickHouseType("DateTime64(3, 'UTC')");
  const target = isOptional ? `Nullable(${typeToText(open)})` : typeToText(open);
  return { text: `CAST(${right} AS ${target})`, type: open, isOptional };
}

function setCases(
  typed: TypedComparison,
  own: ClickHouseType,
  name: string,
): readonly string[] | null {
  const set = givenSet(textOf(typed.comparison.right), typed.givenType);
  const isUnclear =
    set === null ||
    typed.isTypeOpen ||
    hasUnclearZone(own, set.type) ||
    hasUnclearZone(set.type, own);
  if (isUnclear) return null;
  const cast = `CAST(${set.array} AS Array(${typeToText(own)}))`;
  const changed = changedGiven('t', set.type, own).map(
    (each) => `arrayExists(t -> ${each}, ${set.array})`,
  );
  return [`${name} IN ${cast}`, ...changedColumn(name, own, set.type), ...changed];
}

/** Null unless all elements have the same time type. */
function givenSet(text: string, givenType: string) {
  const given = parseClickHouseType(givenType);
  const isArray = given.name === 'Array';
  const listed = given.name === 'Tuple' ? elementTypes(given) : [given];
  const types = isArray ? [innerType(given)] : listed;
  const [type] = types;
  const isOne =
    type !== undefined && types.every((other) => typeToText(other) === typeToText(type));
  if (!isOne || !isTimeType(type)) return null;
  if (isArray) return { array: text, type };
  const items = /^\((.*)\)$/s.exec(text)?.[1];
  return items === undefined ? null : { array: `[${items}]`, type };
}
