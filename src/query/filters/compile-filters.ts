/** Writes filters as SQL in place of `{filters}`. Pure. */
import { quoteName } from '../../sql/quote-name.ts';
import { type Bind, columnCondition } from './column-condition.ts';
import { type FilterTypes, markedColumns } from './filter-types.ts';
import type { Filters, FilterTime } from './parse-filters.ts';

/** A `{filters}` of a query. */
interface FiltersPlace {
  /** The column that dates apply to. */
  readonly column: string;
  /** Its index among those of the query. */
  readonly at: number;
}

/** A condition and the values of its parameters. */
interface Condition {
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
}

export type FillFilters = (place: FiltersPlace) => Condition;

/** Replaces `{filters}` in a run without filters. */
export const noFilters = '1';

/** Describing a query with it checks that the date column exists. */
export const sampleFilters: FillFilters = (place) =>
  conditionOn(place, { dateFrom: { written: '', at: new Date(0), finer: '' }, dateTo: null });

/** @throws ServiceError `invalid_input` for a value that its column's type does not accept. */
export function fillFilters(filters: Filters, types: FilterTypes): FillFilters {
  return (place) =>
    conditionOn(place, filters, (bind) =>
      filters.properties.flatMap((filter) => {
        const type = types.of(place.at, filter.key);
        return type === null ? [] : [columnCondition(filter, type, bind)];
      }),
    );
}

/** The query to analyze for the types of the columns that the filters name. */
export function markFilters(filters: Filters): FillFilters {
  return ({ at }) => ({ sql: markedColumns(filters, at), params: {} });
}

function conditionOn(
  { column, at }: FiltersPlace,
  { dateFrom, dateTo }: Pick<Filters, 'dateFrom' | 'dateTo'>,
  more: (bind: Bind) => readonly string[] = () => [],
): Condition {
  const params: Record<string, string> = {};
  let bound = 0;
  const bind: Bind = (type, text) => {
    const name = `querydock_filter_${at}_${bound}`;
    bound += 1;
    params[name] = text;
    return `{${name}:${type}}`;
  };
  const date = (sign: string, time: FilterTime | null): readonly string[] => {
    if (time === null) return [];
    const text = time.at.toISOString().replace('T', ' ').replace('Z', time.finer);
    const type = `DateTime64(${3 + time.finer.length}, 'UTC')`;
    return [`${quoteName(column)} ${sign} ${bind(type, text)}`];
  };
  const conditions = [
    ...date('>=', dateFrom),
    ...date(dateTo?.isIncluded === true ? '<=' : '<', dateTo),
    ...more(bind),
  ];
  return { sql: conditions.length === 0 ? noFilters : `(${conditions.join(' AND ')})`, params };
}
