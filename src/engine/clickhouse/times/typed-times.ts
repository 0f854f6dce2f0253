/** Values of text variables as times of the types that they are compared with. Pure. */
import { createHash } from 'node:crypto';
import { invalidInput, type ServiceError } from '../../../errors/service-error.ts';
import { isNullable, parseClickHouseType, typeToText } from '../../../sql/clickhouse-type.ts';
import { nullText } from '../../../sql/param-value.ts';
import { describeTimes, type TimeParam, toTimeParam } from '../../../sql/time-text.ts';
import type { Substitution } from '../guard/parse/sql-text.ts';
import { isClearTime } from './clear-times.ts';
import type { TimeComparison } from './time-comparisons.ts';

/**
 * `typed`: a parameter that replaces the variable. `unread`: not ISO 8601, but possibly a spelling that the engine
 * reads. Null: the variable stays as it is.
 */
export type TypedTime =
  | { readonly kind: 'typed'; readonly param: TimeParam }
  | { readonly kind: 'unread'; readonly text: string; readonly type: string }
  | null;

const UNIX_TIME = /^\d{10}$/;

/**
 * @param raw the variable's value as written by `formatParam`.
 * @throws ServiceError `invalid_input` for a time with more precision than the engine's type, and for an ambiguous
 * text.
 */
export function typedTime(
  variable: Substitution,
  comparison: TimeComparison,
  raw: string,
): TypedTime {
  if (variable.type.startsWith('Array(')) return typedList(variable, comparison, raw);
  if (raw === nullText || raw.includes('\\')) return null;
  const { type, isSet } = comparison;
  const own = typeToText(type);
  const time = toTimeParam(raw, type);
  if (time === 'too many decimals') throw invalidTime(variable, comparison);
  if (time === 'other') {
    // The engine reads it the same way everywhere.
    if (UNIX_TIME.test(raw) && type.name.startsWith('DateTime')) return null;
    if (!isClearTime(raw.trim())) throw invalidTime(variable, comparison);
    const isMaybeNull = isNullable(parseClickHouseType(variable.type));
    return { kind: 'unread', text: raw, type: isMaybeNull ? `Nullable(${own})` : own };
  }
  // No value of the column equals it. Within a set, NULL stands for no match, and a set accepts no time of another
  // type.
  const isNone = isSet && time.type !== own;
  const param = isNone ? { type: `Nullable(${own})`, text: nullText } : time;
  return { kind: 'typed', param };
}

const LIST = /^\[(?:(?:'[^'\\]*'|NULL)(?:,(?!\])|(?=\])))*\]$/;

function typedList(variable: Substitution, comparison: TimeComparison, raw: string): TypedTime {
  if (!comparison.isSet || !LIST.test(raw)) return null;
  const own = typeToText(comparison.type);
  const items: string[] = [];
  for (const [item] of raw.matchAll(/'[^']*'|NULL/g)) {
    const time = item === 'NULL' ? null : toTimeParam(item.slice(1, -1), comparison.type);
    if (time === 'other') return null;
    if (time === 'too many decimals') throw invalidTime(variable, comparison);
    if (time === null) items.push('NULL');
    else if (time.type === own) items.push(`'${time.text}'`);
  }
  const element = items.includes('NULL') ? `Nullable(${own})` : own;
  return { kind: 'typed', param: { type: `Array(${element})`, text: `[${items.join(',')}]` } };
}

/** The texts in a variable's value; none when it is not plain text. */
export function textsOf(variable: Substitution, raw: string): readonly string[] {
  if (!variable.type.startsWith('Array(')) return raw === nullText ? [] : [raw];
  return [...raw.matchAll(/'([^'\\]*)'/g)].map(([, text = '']) => text);
}

/** Equal names always have equal types and values, because parameters of two statements may be sent together. */
export function paramName(variable: Substitution, { type, text }: TimeParam): string {
  const hash = createHash('sha1').update(`${type}\n${text}`).digest('hex');
  return `${variable.name}_${hash.slice(0, 16)}`;
}

export function invalidTime({ name }: Substitution, { type }: TimeComparison): ServiceError {
  const attr = `variables.${name}`;
  return invalidInput(
    attr,
    `${attr} is compared with a ${type.name} in the query, so it must be ${describeTimes(type)}.`,
  );
}
