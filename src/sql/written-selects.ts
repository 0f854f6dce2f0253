/** The SELECTs of a text as written, including those of subqueries, CTEs and UNION. Pure. */
import { lexSql } from './sql-lexer.ts';
import { withoutEnd } from './statement-end.ts';
import { writtenClauses } from './written-clauses.ts';

export interface WrittenSelect {
  readonly start: number;
  /** After its last token. */
  readonly end: number;
  readonly text: string;
  /** The SELECT as a standalone statement, preceded by the enclosing WITH definitions that it may use. */
  readonly statement: string;
}

interface Span {
  readonly start: number;
  end: number;
  /** Its enclosing parenthesis; the SELECTs of one UNION share it. */
  readonly bracket: number;
}

/** Outermost first. */
export function writtenSelects(sql: string): readonly WrittenSelect[] {
  const spans = spansOf(sql);
  return spans.map((span) => {
    const { start, end } = span;
    const text = sql.slice(start, end);
    const around = spans.flatMap((other) => definitionsBefore(sql, other, span));
    return { start, end, text, statement: withDefinitions(text, around) };
  });
}

function spansOf(sql: string): readonly Span[] {
  const spans: Span[] = [];
  const brackets: number[] = [];
  const open: (Span | null)[] = [null];
  let mayStart = true;
  for (const { kind, start, end } of lexSql(withoutEnd(sql))) {
    const text = sql.slice(start, end);
    const word = kind === 'word' ? text.toUpperCase() : '';
    if (kind === 'symbol' && text === ')') {
      open.pop();
      brackets.pop();
    }
    const current = open.at(-1) ?? null;
    if (/^(?:UNION|INTERSECT)$/.test(word)) open[open.length - 1] = null;
    else if (mayStart && /^(?:SELECT|WITH)$/.test(word)) {
      const span = { start, end, bracket: brackets.at(-1) ?? -1 };
      spans.push(span);
      open[open.length - 1] = span;
    } else if (current !== null) current.end = end;
    if (kind === 'symbol' && text === '(') {
      open.push(null);
      brackets.push(start);
    }
    // `EXCEPT (a)` excludes columns; EXCEPT SELECT begins another SELECT.
    mayStart =
      text === '(' ||
      /^(?:UNION|INTERSECT|EXCEPT)$/.test(word) ||
      (mayStart && /^(?:ALL|DISTINCT)$/.test(word));
  }
  return spans;
}

/** Definitions of an enclosing SELECT, or of an earlier one in the same UNION. */
function definitionsBefore(sql: string, other: Span, span: Span): readonly string[] {
  const isAround = other.start <= span.start && other.end >= span.end && other !== span;
  const isBefore = other.bracket === span.bracket && other.end <= span.start;
  if (!isAround && !isBefore) return [];
  const text = sql.slice(other.start, other.end);
  if (!STARTS_WITH.test(text)) return [];
  const elements = writtenClauses(text).get('WITH')?.elements ?? [];
  const before = elements.filter(({ end }) => other.start + end <= span.start);
  return before.map((element) => element.text);
}

const STARTS_WITH = /^WITH\b/i;

function withDefinitions(text: string, definitions: readonly string[]): string {
  if (definitions.length === 0) return text;
  const all = `WITH ${definitions.join(', ')}`;
  return STARTS_WITH.test(text) ? `${all}, ${text.replace(STARTS_WITH, '')}` : `${all} ${text}`;
}
