/**
 * Where a query text expects values. Only places that the engine would read as code count: string
 * literals, quoted identifiers, here-documents and comments are passed over.
 */
import { lexSql } from './sql-lexer.ts';

export type Placeholder =
  /** `{country:String}`: the engine's own typed parameter. */
  | {
      readonly kind: 'typed';
      readonly name: string;
      readonly type: string;
      readonly start: number;
      readonly end: number;
    }
  /** `{variables.country}`: typed by the query's definitions. */
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly start: number;
      readonly end: number;
    }
  /** `{filters}` or `{filters.created_at}`: filled from `filters_override`; names the column of its dates. */
  | {
      readonly kind: 'filters';
      readonly column: string;
      readonly start: number;
      readonly end: number;
    };

const PLACEHOLDER =
  /\{\s*(?:variables\.(?<variable>[A-Za-z_][A-Za-z0-9_]*)\s*|filters(?:\.(?<column>[A-Za-z_][A-Za-z0-9_]*))?\s*|(?<typed>[A-Za-z_][A-Za-z0-9_]*)\s*:(?<type>[^{}]+))\}/y;

/** The column that `{filters}` applies its dates to when it names none. */
export const defaultFilterColumn = 'timestamp';

/** Every placeholder of the text in the order of its appearance. Linear in the text whatever it holds. */
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

/** The text with each placeholder replaced by what `replace` answers for it. */
export function replacePlaceholders(
  sql: string,
  placeholders: readonly Placeholder[],
  replace: (placeholder: Placeholder) => string,
): string {
  let text = '';
  let at = 0;
  for (const placeholder of placeholders) {
    text += sql.slice(at, placeholder.start) + replace(placeholder);
    at = placeholder.end;
  }
  return text + sql.slice(at);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function toPlaceholder(match: RegExpExecArray, start: number): Placeholder {
  const { variable, typed, type, column } = match.groups ?? {};
  const place = { start, end: start + match[0].length };
  if (variable !== undefined) return { kind: 'variable', name: variable, ...place };
  if (typed !== undefined && type !== undefined)
    return { kind: 'typed', name: typed, type: type.trim(), ...place };
  return { kind: 'filters', column: column ?? defaultFilterColumn, ...place };
}
