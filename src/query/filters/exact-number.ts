/** Numbers that filters compare with integers and decimals, exact to the last digit. Pure. */
import { type DecimalParts, decimalText, withoutZerosAtEnd } from '../../lib/decimal-text.ts';
import { type ClickHouseType, numberArgument, typeToText } from '../../sql/clickhouse-type.ts';
import { formatParam } from '../../sql/param-value.ts';

export interface ExactNumber {
  /** Of the parameter. */
  readonly type: string;
  /** The number, or the next lower one with as many decimal places as the column has. */
  readonly value: string;
  /** Whether no value of the column can be the number, because it has more decimal places. */
  readonly isBetween: boolean;
}

export function isExactNumber({ name }: ClickHouseType): boolean {
  return /^U?Int\d+$/.test(name) || name.startsWith('Decimal');
}

const integerTypes = ['Int64', 'UInt64', 'Int256', 'UInt256'] as const;

/** With as many decimal places: the engine cannot compare numbers of 256 bits with those of another scale. */
function widerTypes({ name }: ClickHouseType, scale: number): readonly string[] {
  return name.startsWith('Decimal') ? [`Decimal(76, ${scale})`] : integerTypes;
}

function scaleOf(type: ClickHouseType): number {
  return type.name.startsWith('Decimal') ? (numberArgument(type, 1) ?? 0) : 0;
}

/** Digits before the point of numbers that can be compared with the column, whatever they are. */
export function wholeDigits(type: ClickHouseType): number {
  return 76 - scaleOf(type);
}

/** Null when no type that the engine compares with the column can hold the number. */
export function fitNumber(type: ClickHouseType, number: DecimalParts): ExactNumber | null {
  const scale = scaleOf(type);
  const isBetween = number.fraction.length > scale;
  const value = decimalText(isBetween ? nextLower(number, scale) : number);
  const types = [typeToText(type), ...widerTypes(type, scale)];
  const fitting = types.find((one) => isValueOf(one, value));
  return fitting === undefined ? null : { type: fitting, value, isBetween };
}

function nextLower({ isNegative, whole, fraction }: DecimalParts, scale: number): DecimalParts {
  const units = BigInt(`${whole}${fraction.slice(0, scale)}`) + (isNegative ? 1n : 0n);
  const digits = String(units).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const kept = withoutZerosAtEnd(digits.slice(point));
  return { isNegative, whole: digits.slice(0, point), fraction: kept };
}

function isValueOf(type: string, number: string): boolean {
  try {
    formatParam(type, number);
    return true;
  } catch {
    return false;
  }
}
