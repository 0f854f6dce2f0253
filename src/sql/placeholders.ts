/** Finds placeholders in a query text, skipping literals, quoted identifiers, heredocs and comments. */
import { matchAt } from '../lib/match-at.ts';
import { applyEdits } from './edits.ts';
import { lexSql } from './sql-lexer.ts';
import { withoutAliases } from './type-aliases.ts';

interface Position {
  readonly start: number;
  readonly end: number;
}

/**
 * `{country:String}`, the engine's own parameter, its type without aliases, or `{variables.country}`, which the query's
 * definitions type.
 */
type VariablePlaceholder = Position &
  (
    | { readonly kind: 'typed'; readonly name: string; readonly type: string }
    | { readonly kind: 'variable'; readonly name: string }
  );

/** `{filters}` or `{filters.created_at}`: filled from `filters_override`; names the date column. */
type FiltersPlaceholder = Position & { readonly kind: 'filters'; readonly column: string };

export type Placeholder = VariablePlaceholder | FiltersPlaceholder;

/** The placeholder in its canonical spelling. */
export function spellingOf(placeholder: VariablePlaceholder): string {
  return placeholder.kind === 'typed'
    ? `{${placeholder.name}:${placeholder.type}}`
    : `{variables.${placeholder.name}}`;
}

const PLACEHOLDER =
  /\{\s*(?:variables\.(?<variable>[A-Za-z_][A-Za-z0-9_]*)\s*|filters(?:\.(?<column>[A-Za-z_][A-Za-z0-9_]*))?\s*|(?<typed>[A-Za-z_][A-Za-z0-9_]*)\s*:(?<type>[^{}]+))\}/y;

/** The date column of a `{filters}` without a name. */
export const defaultFilterColumn = 'timestamp';

/** Every placeholder in order of appearance. Linear time. */
export function findPlaceholders(sql: string): readonly Placeholder[] {
  const found: Placeholder[] = [];
  let behind = 0;
  for (const { kind, start } of lexSql(sql)) {
    if (kind !== 'symbol' || sql[start] !== '{' || start < behind) continue;
    const match = matchAt(PLACEHOLDER, sql, start);
    if (match === null) continue;
    found.push(toPlaceholder(match, start));
    behind = start + match[0].length;
  }
  return found;
}

export function replacePlaceholders(
  sql: string,
  placeholders: readonly Placeholder[],
  replace: (placeholder: Placeholder) => string,
): string {
  const edits = placeholders.map((placeholder) => {
    const { start, end } = placeholder;
    return { start, end, text: replace(placeholder) };
  });
  return applyEdits(sql, edits);
}

function toPlaceholder(match: RegExpExecArray, start: number): Placeholder {
  const { variable, typed, type, column } = match.groups ?? {};
  const position = { start, end: start + match[0].length };
  if (variable !== undefined) return { kind: 'variable', name: variable, ...position };
  if (typed !== undefined && type !== undefined)
    return { kind: 'typed', name: typed, type: withoutAliases(type.trim()), ...position };
  return { kind: 'filters', column: column ?? defaultFilterColumn, ...position };
}
