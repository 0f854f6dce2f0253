import { invalidInput, ServiceError } from '../errors/service-error.ts';
import { didYouMean } from '../lib/nearest-name.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import { type DateEnd, resolveDate, resolveDateEnd } from './relative-date.ts';

/** Replaces `{filters}` in a query. Source: the documented `filters_override`. */
export interface Filters {
  readonly dateFrom: Date | null;
  readonly dateTo: DateEnd | null;
  readonly properties: readonly PropertyFilter[];
}

/** Filters on the date column only: describing a query with them checks that the column exists. */
export const sampleFilters: Filters = { dateFrom: new Date(0), dateTo: null, properties: [] };

interface PropertyFilter {
  readonly key: string;
  readonly operator: FilterOperator;
  readonly value: string | number | readonly string[] | null;
}

type Comparison = (
  column: string,
  bind: (type: string, value: string) => string,
  value: PropertyFilter['value'],
) => string;

const list = (value: PropertyFilter['value']): string =>
  `[${[value]
    .flat()
    .map((v) => `'${String(v).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`)
    .join(',')}]`;
const text = (value: PropertyFilter['value']): string => String([value].flat()[0] ?? '');

const compareNumber =
  (sign: string): Comparison =>
  (column, bind, value) =>
    `toFloat64OrNull(toString(${column})) ${sign} ${bind('Float64', text(value))}`;

/** Each operator as SQL over a quoted column; values are always bound, never part of the text. */
const comparisons = {
  exact: (column, bind, value) => `has(${bind('Array(String)', list(value))}, toString(${column}))`,
  is_not: (column, bind, value) =>
    `NOT has(${bind('Array(String)', list(value))}, toString(${column}))`,
  icontains: (column, bind, value) =>
    `positionCaseInsensitiveUTF8(toString(${column}), ${bind('String', text(value))}) > 0`,
  not_icontains: (column, bind, value) =>
    `positionCaseInsensitiveUTF8(toString(${column}), ${bind('String', text(value))}) = 0`,
  regex: (column, bind, value) => `match(toString(${column}), ${bind('String', text(value))})`,
  not_regex: (column, bind, value) =>
    `NOT match(toString(${column}), ${bind('String', text(value))})`,
  gt: compareNumber('>'),
  gte: compareNumber('>='),
  lt: compareNumber('<'),
  lte: compareNumber('<='),
  is_set: (column) => `isNotNull(${column})`,
  is_not_set: (column) => `isNull(${column})`,
} as const satisfies Record<string, Comparison>;

export type FilterOperator = keyof typeof comparisons;

const ATTR = 'filters_override';
const COLUMN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const maxProperties = 50;

/** Parses `{date_from, date_to, properties[]}`. Throws `invalid_input` with the member at fault. */
export function parseFilters(value: unknown, now: Date): Filters {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidInput(ATTR, 'Filters must be an object {date_from, date_to, properties}.');
  }
  const given = value as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (name === 'date_from' || name === 'date_to' || name === 'properties') continue;
    throw invalidInput(
      ATTR,
      `Filters have no member "${name}". Accepted: date_from, date_to, properties.`,
    );
  }
  const properties = given.properties ?? [];
  if (!Array.isArray(properties) || properties.length > maxProperties) {
    throw invalidInput(
      `${ATTR}.properties`,
      `properties must be an array of at most ${maxProperties} filters.`,
    );
  }
  return {
    dateFrom: dateOf(given.date_from, 'date_from', (text, attr) => resolveDate(text, now, attr)),
    dateTo: dateOf(given.date_to, 'date_to', (text, attr) => resolveDateEnd(text, now, attr)),
    properties: properties.map((property: unknown, at) =>
      parseProperty(property, `${ATTR}.properties[${at}]`),
    ),
  };
}

/** The filters as one SQL condition with its parameters; `1` when they are empty. */
export function compileFilters(
  filters: Filters,
  dateColumn: string,
): { readonly sql: string; readonly params: Readonly<Record<string, string>> } {
  const params: Record<string, string> = {};
  const bind = (type: string, value: string): string => {
    const name = `querydock_filter_${dateColumn}_${Object.keys(params).length}`;
    params[name] = value;
    return `{${name}:${type}}`;
  };
  const conditions: string[] = [];
  const date = (sign: string, at: Date | null): void => {
    if (at === null) return;
    const instant = at.toISOString().replace('T', ' ').replace('Z', '');
    conditions.push(`\`${dateColumn}\` ${sign} ${bind("DateTime64(3, 'UTC')", instant)}`);
  };
  date('>=', filters.dateFrom);
  date(filters.dateTo?.isIncluded === true ? '<=' : '<', filters.dateTo?.at ?? null);
  for (const { key, operator, value } of filters.properties) {
    const compare: Comparison = comparisons[operator];
    conditions.push(compare(`\`${key}\``, bind, value));
  }
  return { sql: conditions.length === 0 ? '1' : `(${conditions.join(' AND ')})`, params };
}

const UNKNOWN_NAME = /^Unknown [a-z ]*identifier [`']([^`']+)[`']/;

/**
 * The error of a run whose filters name a column that the query does not have; null for any other error.
 *
 * @param filters that `parseFilters` has accepted, or null.
 */
export function unknownFilterColumn(filters: unknown, error: unknown): ServiceError | null {
  if (filters === null || !(error instanceof ServiceError)) return null;
  const name = UNKNOWN_NAME.exec(error.message)?.[1];
  const { properties } = filters as { readonly properties?: readonly { readonly key: string }[] };
  const at = (properties ?? []).findIndex(({ key }) => key === name);
  if (at < 0) return null;
  const hint = / Did you mean .*\?$/.exec(error.message)?.[0] ?? '';
  return invalidInput(`${ATTR}.properties[${at}].key`, `The query has no column "${name}".${hint}`);
}

function dateOf<T>(
  value: unknown,
  name: string,
  resolve: (text: string, attr: string) => T,
): T | null {
  if (value === undefined || value === null) return null;
  const attr = `${ATTR}.${name}`;
  if (typeof value !== 'string') throw invalidInput(attr, 'A date must be a string.');
  return resolve(value, attr);
}

function parseProperty(value: unknown, attr: string): PropertyFilter {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidInput(attr, 'A property filter must be an object {key, operator, value}.');
  }
  const {
    key,
    operator = 'exact',
    value: compared,
    type: _type,
    ...rest
  } = value as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, ['key', 'operator', 'value', 'type']);
    throw invalidInput(attr, `A property filter has no member "${unknown}".${hint}`);
  }
  if (typeof key !== 'string' || !COLUMN.test(key)) {
    throw invalidInput(
      `${attr}.key`,
      'key must be the name of a column: letters, digits and underscores.',
    );
  }
  if (typeof operator !== 'string' || !Object.hasOwn(comparisons, operator)) {
    throw invalidInput(
      `${attr}.operator`,
      `operator must be one of ${Object.keys(comparisons).join(', ')}.`,
    );
  }
  return {
    key,
    operator: operator as FilterOperator,
    value: parseValue(operator, compared, `${attr}.value`),
  };
}

function parseValue(operator: string, value: unknown, attr: string): PropertyFilter['value'] {
  if (operator === 'is_set' || operator === 'is_not_set') return null;
  if (['gt', 'gte', 'lt', 'lte'].includes(operator)) {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    throw invalidInput(attr, 'The value for this operator must be a number.');
  }
  const texts = [value].flat();
  if (
    texts.length > 0 &&
    texts.every((v) => typeof v === 'string' || typeof v === 'number' || typeof v === 'boolean')
  ) {
    return texts.map((v) => requireStorableText(String(v), attr));
  }
  throw invalidInput(attr, 'The value must be a string, a number, or an array of these.');
}
