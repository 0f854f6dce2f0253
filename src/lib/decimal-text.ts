/** Decimal numbers as callers write them, exact to the last digit. Pure. */

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

export interface DecimalParts {
  readonly isNegative: boolean;
  /** Digits before the point, without leading zeros; empty for none. */
  readonly whole: string;
  /** Digits after the point, without trailing zeros; empty for none. */
  readonly fraction: string;
}

/** Null when the text is not a decimal number with or without an exponent, such as `-1.50` or `2e3`. */
export function decimalParts(text: string): DecimalParts | null {
  const [, sign, before = '', after = '', exponent = '0'] = DECIMAL.exec(text.trim()) ?? [];
  const digits = `${before}${after}`;
  if (sign === undefined || digits === '') return null;
  const point = before.length + Number(exponent);
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '';
  const fraction = point < 0 ? digits.padStart(digits.length - point, '0') : digits.slice(point);
  return {
    isNegative: sign === '-',
    whole: whole.replace(/^0+/, ''),
    fraction: withoutZerosAtEnd(fraction),
  };
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

/** The number of digits between the first and the last that are not zero. */
export function significantDigits({ whole, fraction }: DecimalParts): number {
  return withoutZerosAtEnd(`${whole}${fraction}`.replace(/^0+/, '')).length;
}

export function isDecimal(text: string): boolean {
  return decimalParts(text) !== null;
}

/** A double keeps each of so many digits; it may have lost some of a longer number when JSON was parsed. */
export const exactDigits = 15;

/** Whether a number from JSON may have had other digits than it has now. */
export function mayHaveLostDigits(value: number): boolean {
  if (Number.isSafeInteger(value)) return false;
  const [digits = ''] = String(Math.abs(value)).split('e');
  return digits.replace('.', '').replace(/^0+/, '').length > exactDigits;
}
