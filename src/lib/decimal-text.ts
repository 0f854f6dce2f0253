/** Decimal numbers as callers write them, exact to the last digit. Pure. */

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** A decimal number without an exponent has as many zeros as its exponent is large; this form has none of them. */
export interface SignificantDigits {
  readonly isNegative: boolean;
  /** From the first digit that is not zero to the last; empty for zero. */
  readonly digits: string;
  /** Where the decimal point is among the digits: 1 for `1.5`, -2 for `0.0015`; 0 for zero. */
  readonly point: number;
}

/** Null when the text is not a decimal number with or without an exponent, such as `-1.50` or `2e3`. */
export function significantDigits(text: string): SignificantDigits | null {
  const [, sign, before = '', after = '', exponent = '0'] = DECIMAL.exec(text.trim()) ?? [];
  const written = `${before}${after}`;
  if (sign === undefined || written === '') return null;
  const first = /[1-9]/.exec(written)?.index;
  if (first === undefined) return { isNegative: sign === '-', digits: '', point: 0 };
  return {
    isNegative: sign === '-',
    digits: withoutZerosAtEnd(written.slice(first)),
    point: before.length + Number(exponent) - first,
  };
}

export interface DecimalParts {
  readonly isNegative: boolean;
  /** Digits before the point, without leading zeros; empty for none. */
  readonly whole: string;
  /** Digits after the point, without trailing zeros; empty for none. */
  readonly fraction: string;
}

/** Null as for `significantDigits`. */
export function decimalParts(text: string): DecimalParts | null {
  const number = significantDigits(text);
  if (number === null) return null;
  const { isNegative, digits, point } = number;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '';
  const fraction = point < 0 ? `${'0'.repeat(-point)}${digits}` : digits.slice(point);
  return { isNegative, whole, fraction };
}

/** The number without an exponent and surplus zeros. */
export function decimalText({ isNegative, whole, fraction }: DecimalParts): string {
  const point = fraction === '' ? '' : '.';
  return `${isNegative ? '-' : ''}${whole === '' ? '0' : whole}${point}${fraction}`;
}

/** Takes linear time, unlike a pattern. */
export function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end -= 1;
  return digits.slice(0, end);
}

export function isDecimal(text: string): boolean {
  return significantDigits(text) !== null;
}

/** A double keeps each of so many digits; it may have lost some of a longer number when JSON was parsed. */
export const exactDigits = 15;

/** Whether a number from JSON may have had other digits than it has now. */
export function mayHaveLostDigits(value: number): boolean {
  if (Number.isSafeInteger(value)) return false;
  const [digits = ''] = String(Math.abs(value)).split('e');
  return digits.replace('.', '').replace(/^0+/, '').length > exactDigits;
}
