import type { Placeholder } from '../sql/placeholders.ts';
import { offsetAt, POSITION, positionOf } from '../sql/text-position.ts';
import type { ParsedQuery } from './query-definition.ts';

/**
 * Translates positions in the compiled text, where placeholders have other lengths, to positions in the author's text.
 */
export function toWrittenPositions(detail: string, query: ParsedQuery, compiled: string): string {
  const written = query.definition.query;
  return detail.replace(POSITION, (_position, line: string, column: string) => {
    const at = offsetAt(compiled, Number(line), Number(column));
    return positionOf(written, toWritten(at, query, compiled));
  });
}

function toWritten(
  at: number,
  { placeholders, definition }: ParsedQuery,
  compiled: string,
): number {
  let shift = 0;
  for (const [index, placeholder] of placeholders.entries()) {
    const start = placeholder.start + shift;
    if (at < start) break;
    const next = placeholders[index + 1]?.start ?? definition.query.length;
    const behind = definition.query.slice(placeholder.end, next);
    const end = endOf(placeholder, behind, { compiled, start });
    if (at < end) return placeholder.start;
    shift = end - placeholder.end;
  }
  return at - shift;
}

/** A variable becomes `{name:Type}`, whose type contains no brace; a filter becomes a condition of any length. */
function endOf(
  { kind }: Placeholder,
  behind: string,
  { compiled, start }: { readonly compiled: string; readonly start: number },
): number {
  return kind === 'filters' ? compiled.indexOf(behind, start) : compiled.indexOf('}', start) + 1;
}
