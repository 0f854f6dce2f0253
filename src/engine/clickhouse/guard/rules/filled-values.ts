/**
 * WITH FILL by values that do not suit what it fills: the engine accepts the text and refuses each run, or fills nothing
 * where a step is finer than the type. Found in ClickHouse 26.7. Pure.
 */
import { type ClickHouseType, typeToText } from '../../../../sql/clickhouse-type.ts';
import {
  attributeOf,
  bareTypeOf,
  partOf,
  sortedValue,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import { decimalsOf, isTimeType } from '../../../../sql/time-text.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';

/**
 * @param sort SORT node with `with_fill: 1`.
 * @returns a sentence for the author, or null when the clause is accepted.
 */
export function refusalOfFill(sort: TreeNode, lexed: LexedText): string | null {
  const filled = sortedValue(sort);
  if (filled === undefined) return null;
  const type = bareTypeOf(filled);
  const column = attributeOf(filled, 'column_name') || 'a value';
  const where = `WITH FILL${positionOfName(lexed, 'fill')} fills ${column} of type ${typeToText(type)}`;
  if (!isNumber(type) && !isTimeType(type)) return `${where}; ${fillable(type)}.`;
  const typesOf = (...parts: readonly string[]) =>
    parts.flatMap((part) => partOf(sort, part).map(bareTypeOf));
  const bound = typesOf('FILL FROM', 'FILL TO').find((one) => !isBoundOf(type, one));
  if (bound !== undefined)
    return `${where} by values of type ${typeToText(bound)}; ${mendOf(type, bound)}.`;
  const step = typesOf('FILL STEP', 'FILL STALENESS').find((one) => !isStepOf(type, one));
  return step === undefined
    ? null
    : `${where} in steps of type ${typeToText(step)}; ${stepOf(type)}.`;
}

const isNumber = ({ name }: ClickHouseType) => /^(?:U?Int\d+|Float\d+|BFloat16|Bool)$/.test(name);
const isFraction = ({ name }: ClickHouseType) => /Float/.test(name);
const isWide = ({ name }: ClickHouseType) => /Int(?:128|256)$/.test(name);

function fillable({ name }: ClickHouseType): string {
  const accepted = 'whole numbers, floating-point numbers, dates and times are filled';
  return name.startsWith('Decimal') ? `${accepted}: convert it, as in toFloat64(…)` : accepted;
}

/** A time is filled from and to times of its own type, or numbers. */
function isBoundOf(type: ClickHouseType, bound: ClickHouseType): boolean {
  if (!isTimeType(bound)) return isNumberFor(type, bound);
  return bound.name === type.name && decimalsOf(bound) === decimalsOf(type);
}

/** Values of wide integers are converted one by one: 2.0 is accepted, and 1.5 is not. */
function isNumberFor(type: ClickHouseType, given: ClickHouseType): boolean {
  if (isWide(type)) return true;
  if (isWide(given)) return false;
  return !isFraction(given) || isFraction(type) || type.name === 'DateTime64';
}

function mendOf(type: ClickHouseType, bound: ClickHouseType): string {
  const own = typeToText(type);
  if (!isTimeType(bound) || !isTimeType(type)) return `write values of type ${own}`;
  const decimals = type.name === 'DateTime64' ? `, ${decimalsOf(type)}` : '';
  return `convert them, as in TO to${type.name}(…${decimals}), or give the variable that type`;
}

/** Digits of a second that each unit has; those of a day are negative, because a date has no part of one. */
const unitDecimals: Readonly<Record<string, number>> = {
  IntervalNanosecond: 9,
  IntervalMicrosecond: 6,
  IntervalMillisecond: 3,
  IntervalSecond: 0,
  IntervalMinute: 0,
  IntervalHour: 0,
};
const OF_DATE = -1;

function isStepOf(type: ClickHouseType, step: ClickHouseType): boolean {
  if (!step.name.startsWith('Interval')) return isNumberFor(type, step);
  if (!isTimeType(type)) return false;
  const own = type.name.startsWith('DateTime') ? decimalsOf(type) : OF_DATE;
  return (unitDecimals[step.name] ?? OF_DATE) <= own;
}

function stepOf(type: ClickHouseType): string {
  if (!isTimeType(type)) return `write a number of type ${typeToText(type)}`;
  if (!type.name.startsWith('DateTime')) return 'write days or more, as in STEP INTERVAL 1 DAY';
  return type.name === 'DateTime'
    ? 'write seconds or more, as in STEP INTERVAL 1 SECOND'
    : `write an interval or a number that its ${decimalsOf(type)} decimals can hold`;
}
