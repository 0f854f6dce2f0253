import { invalidInput } from '../errors/service-error.ts';
import { replacePlaceholders } from '../sql/placeholders.ts';
import { type FillFilters, noFilters } from './filters/compile-filters.ts';
import type { BoundParam } from './legacy-variable.ts';
import type { ParsedQuery } from './query-definition.ts';

/** A query for the engine: its only placeholders are typed parameters, each with a value. */
export interface CompiledQuery {
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * More does not fit into the engine's request line. Source: ClickHouse's http_max_uri_size, minus the other parameters.
 */
const maxParamBytes = 500_000;

export function hasFilters(query: ParsedQuery): boolean {
  return query.placeholders.some((p) => p.kind === 'filters');
}

/**
 * Writes the types of the bound values into the text; the values are sent separately. Throws `invalid_input` when they
 * are too large to send, and as `fill` does.
 *
 * @param fill writes the conditions of filters; null for a run without filters.
 */
export function compileQuery(
  query: ParsedQuery,
  bound: ReadonlyMap<string, BoundParam>,
  fill: FillFilters | null,
): CompiledQuery {
  const values = new Map<string, string>();
  let filtersAt = 0;
  const sql = replacePlaceholders(query.definition.query, query.placeholders, (placeholder) => {
    if (placeholder.kind === 'filters') {
      if (fill === null) return noFilters;
      const condition = fill({ column: placeholder.column, at: filtersAt++ });
      for (const [name, text] of Object.entries(condition.params)) values.set(name, text);
      return condition.sql;
    }
    const param = bound.get(placeholder.name);
    if (param === undefined) throw new Error(`no value was bound for ${placeholder.name}`);
    values.set(placeholder.name, param.text);
    return `{${placeholder.name}:${param.type}}`;
  });
  const params = Object.fromEntries(values);
  requireSendable(params);
  return { sql, params };
}

function requireSendable(params: Readonly<Record<string, string>>): void {
  let bytes = 0;
  for (const text of Object.values(params)) bytes += encodeURIComponent(text).length;
  if (bytes > maxParamBytes) {
    throw invalidInput(
      'variables',
      `The values of a run may have at most ${maxParamBytes} bytes in total.`,
    );
  }
}
