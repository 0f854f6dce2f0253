/**
 * Where a query text expects values. Only places that the engine would read as code count: string
 * literals, quoted identifiers, here-documents and comments are passed over.
 */

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

/** Every placeholder of the text in the order of its appearance. */
export function findPlaceholders(sql: string): readonly Placeholder[] {
  const found: Placeholder[] = [];
  let at = 0;
  while (at < sql.length) {
    const end = opaqueEnd(sql, at);
    if (end === -1) break;
    if (end > at) {
      at = end;
      continue;
    }
    const match = sql[at] === '{' ? matchAt(PLACEHOLDER, sql, at) : null;
    if (match === null) {
      at += 1;
      continue;
    }
    found.push(toPlaceholder(match, at));
    at += match[0].length;
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

/**
 * Where the piece ends that the engine's lexer takes as one when it begins at `at`: a quoted text, a
 * comment, a here-document. `at` itself when none begins there; -1 when it never ends, which the engine
 * then refuses. Linear in the text whatever it holds. Source: ClickHouse's Lexer.
 */
function opaqueEnd(sql: string, at: number): number {
  const char = sql[at];
  if (char === "'" || char === '"' || char === '`') return quotedEnd(sql, at, char);
  if (sql.startsWith('/*', at)) return after(sql, '*/', at + 2);
  if (sql.startsWith('--', at) || sql.startsWith('# ', at) || sql.startsWith('#!', at)) {
    return after(sql, '\n', at);
  }
  if (char !== '$') return at;
  const tag = matchAt(/\$[A-Za-z0-9_]*\$/y, sql, at)?.[0];
  return tag === undefined ? at : after(sql, tag, at + tag.length);
}

function quotedEnd(sql: string, start: number, quote: string): number {
  for (let at = start + 1; at < sql.length; at += 1) {
    if (sql[at] === '\\') at += 1;
    else if (sql[at] === quote) return at + 1;
  }
  return -1;
}

function after(sql: string, mark: string, from: number): number {
  const found = sql.indexOf(mark, from);
  return found === -1 ? -1 : found + mark.length;
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
