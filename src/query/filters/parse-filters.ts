import { invalidInput } from '../../errors/service-error.ts';
import { withoutZerosAtEnd } from '../../lib/decimal-text.ts';
import { didYouMean } from '../../lib/nearest-name.ts';
import { requireStorableText } from '../../sql/storable-text.ts';
import { type DateEnd, resolveDate, resolveDateEnd } from '../relative-date.ts';

/** Replaces `{filters}` in a query. Source: the documented `filters_override`. */
export interface Filters {
  readonly dateFrom: FilterTime | null;
  readonly dateTo: (FilterTime & DateEnd) | null;
  readonly properties: readonly PropertyFilter[];
}

export interface FilterTime {
  readonly written: string;
  /** In whole milliseconds. */
  readonly at: Date;
  /** Further fractional digits of the second, after the third. */
  readonly finer: string;
}

export const filterOperators = [
  'exact',
  'is_not',
  'icontains',
  'not_icontains',
  'regex',
  'not_regex',
  'gt',
  'gte',
  'lt',
  'lte',
  'is_set',
  'is_not_set',
] as const;

export type FilterOperator = (typeof filterOperators)[number];

/** A whole number that a double cannot hold is a bigint. */
export type FilterValue = string | number | bigint | boolean;

/** A condition on a column. */
export interface PropertyFilter {
  /** The column's name. */
  readonly key: string;
  readonly operator: FilterOperator;
  /** None for `is_set` and `is_not_set`, one for `gt`, `gte`, `lt` and `lte`, at least one for the others. */
  readonly values: readonly FilterValue[];
  /** Its path in the request, for errors. */
  readonly attr: string;
}

export const filtersAttr = 'filters_override';
const COLUMN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const maxProperties = 50;
/** Each is a condition of its own. */
const maxPatterns = 50;

/**
 * Parses `{date_from, date_to, properties[]}`. Throws `invalid_input` with the member at fault. Whether a value fits its
 * column is checked when the column's type is known.
 */
export function parseFilters(value: unknown, now: Date): Filters {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidInput(filtersAttr, 'Filters must be an object {date_from, date_to, properties}.');
  }
  const given = value as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (name === 'date_from' || name === 'date_to' || name === 'properties') continue;
    throw invalidInput(
      filtersAttr,
      `Filters have no member "${name}". Accepted: date_from, date_to, properties.`,
    );
  }
  const properties = given.properties ?? [];
  if (!Array.isArray(properties) || properties.length > maxProperties) {
    throw invalidInput(
      `${filtersAttr}.properties`,
      `properties must be an array of at most ${maxProperties} filters.`,
    );
  }
  return {
    dateFrom: dateOf(given.date_from, 'date_from', (text, attr) => ({
      at: resolveDate(text, now, attr),
    })),
    dateTo: dateOf(given.date_to, 'date_to', (text, attr) => resolveDateEnd(text, now, attr)),
    properties: properties.map((property: unknown, at) =>
      parseProperty(property, `${filtersAttr}.properties[${at}]`),
    ),
  };
}

/** Equal for filters that mean the same; relative dates stay as written. */
export function meaningOf({ dateFrom, dateTo, properties }: Filters): string {
  return JSON.stringify([
    dateFrom?.written,
    dateTo?.written,
    properties.map(({ key, operator, values }) => [key, operator, values.map(String)]),
  ]);
}

const FINER = /\.\d{3}(\d{1,6})(?:Z|[+-]|$)/;
/** The end of the times that a DateTime64 of nanoseconds can hold. */
const lastOfNanoseconds = Date.UTC(2262, 3, 11);

function dateOf<T extends { readonly at: Date }>(
  value: unknown,
  name: string,
  resolve: (text: string, attr: string) => T,
): (T & FilterTime) | null {
  if (value === undefined || value === null) return null;
  const attr = `${filtersAttr}.${name}`;
  if (typeof value !== 'string') throw invalidInput(attr, 'A date must be a string.');
  const resolved = resolve(value, attr);
  const finer = withoutZerosAtEnd(FINER.exec(value)?.[1] ?? '');
  if (finer.length > 3 && resolved.at.getTime() > lastOfNanoseconds)
    throw invalidInput(attr, 'A date after 2262-04-11 may have at most 6 fractional digits.');
  return { ...resolved, written: value, finer };
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
  const known = filterOperators.find((one) => one === operator);
  if (known === undefined) {
    throw invalidInput(
      `${attr}.operator`,
      `operator must be one of ${filterOperators.join(', ')}.`,
    );
  }
  return { key, operator: known, values: parseValues[known](compared, `${attr}.value`), attr };
}

type ParseValues = (value: unknown, attr: string) => readonly FilterValue[];

const none: ParseValues = () => [];

const one: ParseValues = (value, attr) => {
  if (typeof value === 'boolean' || !isFilterValue(value))
    throw invalidInput(attr, 'The value for this operator must be a number or a string.');
  return [storable(value, attr)];
};

const several: ParseValues = (value, attr) => {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length > 0 && values.every(isFilterValue))
    return values.map((each) => storable(each, attr));
  throw invalidInput(
    attr,
    'The value must be a string, a number, true, false, or an array of these with at least one.',
  );
};

const patterns: ParseValues = (value, attr) => {
  const values = several(value, attr);
  if (values.length <= maxPatterns) return values;
  throw invalidInput(attr, `The value for this operator may have at most ${maxPatterns} elements.`);
};

const parseValues: Readonly<Record<FilterOperator, ParseValues>> = {
  exact: several,
  is_not: several,
  icontains: patterns,
  not_icontains: patterns,
  regex: patterns,
  not_regex: patterns,
  gt: one,
  gte: one,
  lt: one,
  lte: one,
  is_set: none,
  is_not_set: none,
};

function isFilterValue(value: unknown): value is FilterValue {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint';
}

function storable(value: FilterValue, attr: string): FilterValue {
  return typeof value === 'string' ? requireStorableText(value, attr) : value;
}
