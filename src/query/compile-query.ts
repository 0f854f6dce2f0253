import { invalidInput } from '../errors/service-error.ts';
import { replacePlaceholders } from '../sql/placeholders.ts';
import { compileFilters, type Filters } from './filters.ts';
import type { BoundParam } from './legacy-variable.ts';
import type { ParsedQuery } from './query-definition.ts';

/** A query ready for the engine: only typed parameters are left in the text, and each has its value. */
export interface CompiledQuery {
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
}

/** More would not fit the engine's request line. Source: ClickHouse's http_max_uri_size, less room for the rest. */
const maxParamBytes = 500_000;

/** What stands for `{filters}` in a run that gives none. */
export const noFilters = '1';

export function hasFilters(query: ParsedQuery): boolean {
  return query.placeholders.some((p) => p.kind === 'filters');
}

/**
 * Puts the types of the bound values into the text; the values themselves stay apart. Filters that are
 * null leave `{filters}` true. Throws `invalid_input` when the values are too large to send.
 */
export function compileQuery(
  query: ParsedQuery,
  bound: ReadonlyMap<string, BoundParam>,
  filters: Filters | null,
): CompiledQuery {
  const values = new Map<string, string>();
  const sql = replacePlaceholders(query.definition.query, query.placeholders, (placeholder) => {
    if (placeholder.kind === 'filters') {
      if (filters === null) return noFilters;
      const condition = compileFilters(filters, placeholder.column);
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
      `The values of a run take at most ${maxParamBytes} bytes together.`,
    );
  }
}
