/** Binds `{variables.name}`, the reference product's syntax for variables, which has its own types. */
import { invalidInput } from '../errors/service-error.ts';
import { isDecimal } from '../lib/decimal-text.ts';
import { toExactNumber } from '../lib/parse-json.ts';
import { formatParam, nullText, parseByType } from '../sql/param-value.ts';
import { parseText } from './parse-text.ts';
import type { LegacyType } from './variable-definition.ts';

/** A parameter for the engine: its type, and its value as the engine's text. */
export interface BoundParam {
  readonly type: string;
  readonly text: string;
}

/** The engine type of a legacy type, where no value requires another one. */
export const legacyEngineTypes: Readonly<Record<LegacyType, string>> = {
  String: 'String',
  Number: 'Float64',
  Boolean: 'Bool',
  List: 'Array(String)',
  Date: 'Date32',
};

/**
 * Binds the value of a `{variables.name}`; its engine type follows from its definition and value. Clients of the
 * reference product send every value as a string, so strings are parsed by the type. Null binds NULL.
 */
export function bindLegacyVariable(type: LegacyType, value: unknown, attr: string): BoundParam {
  if (value === null) {
    const scalar = type === 'List' ? 'String' : legacyEngineTypes[type];
    return { type: `Nullable(${scalar})`, text: nullText };
  }
  return binders[type](value, attr);
}

const binders: Readonly<Record<LegacyType, (value: unknown, attr: string) => BoundParam>> = {
  String: (value, attr) => {
    if (typeof value === 'object') throw invalidInput(attr, `${attr} must be a string.`);
    return bindAs('String', value, attr);
  },
  Number: bindNumber,
  Boolean: (value, attr) =>
    bindAs('Bool', typeof value === 'string' ? parseByType('Bool', value) : value, attr),
  List: (value, attr) => {
    const items = typeof value === 'string' ? parseText('Array(String)', value, attr) : value;
    return bindAs('Array(String)', items, attr);
  },
  Date: (value, attr) => {
    if (typeof value !== 'string') {
      throw invalidInput(attr, `${attr} must be a date, as a string in ISO 8601.`);
    }
    const isDate = /^\d{4}-\d{2}-\d{2}$/.test(value);
    return bindAs(isDate ? 'Date32' : "DateTime64(3, 'UTC')", value, attr);
  },
};

const WHOLE = /^-?\d+$/;
const maxInt64 = 2n ** 63n - 1n;

/**
 * A whole number is an Int64 (Int128 beyond), any other number a Float64. A text with more digits than that keeps is
 * refused.
 */
function bindNumber(value: unknown, attr: string): BoundParam {
  const text = typeof value === 'string' ? value.trim() : value;
  const digits = typeof text === 'bigint' || Number.isSafeInteger(text) ? String(text) : text;
  if (typeof digits === 'string' && WHOLE.test(digits) && digits.length <= 40) {
    const whole = BigInt(digits);
    const fits = whole <= maxInt64 && whole >= -maxInt64 - 1n;
    return bindAs(fits ? 'Int64' : 'Int128', digits, attr);
  }
  const number = typeof text === 'string' && isDecimal(text) ? exactNumber(text, attr) : text;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw invalidInput(attr, `${attr} must be a number.`);
  }
  return bindAs('Float64', number, attr);
}

function exactNumber(text: string, attr: string): number {
  try {
    return toExactNumber(text);
  } catch {
    throw invalidInput(
      attr,
      `${attr} has more digits than a double keeps. For a decimal number with all its digits, write {name:Decimal(38, 10)} in the query.`,
    );
  }
}

function bindAs(type: string, value: unknown, attr: string): BoundParam {
  return { type, text: formatParam(type, value, attr) };
}
