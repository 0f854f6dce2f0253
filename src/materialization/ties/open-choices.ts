/** Calls of argMin and argMax as written. They take any of the rows with the least or greatest value. Pure. */
import { lexSql } from '../../sql/sql-lexer.ts';

export interface OpenChoice {
  readonly name: string;
  /** The argument that is returned. */
  readonly chosen: string;
  /** The argument that is compared, and where it is in the text. */
  readonly compared: string;
  readonly start: number;
  readonly end: number;
}

const CHOOSES = /^(?:arg(?:Min|Max)|(?:min|max)_by)(?:If|Distinct|OrNull|OrDefault)*$/i;

export function openChoices(sql: string): readonly OpenChoice[] {
  const tokens = lexSql(sql);
  const textAt = (at: number) => sql.slice(tokens[at]?.start ?? 0, tokens[at]?.end ?? 0);
  return tokens.flatMap(({ kind }, at) => {
    if (kind !== 'word' || !CHOOSES.test(textAt(at)) || textAt(at + 1) !== '(') return [];
    const commas: number[] = [];
    let depth = 1;
    let last = at + 2;
    for (; last < tokens.length; last += 1) {
      const text = tokens[last]?.kind === 'symbol' ? textAt(last) : '';
      if (/^[([{]$/.test(text)) depth += 1;
      if (/^[)\]}]$/.test(text)) depth -= 1;
      if (depth === 0) break;
      if (depth === 1 && text === ',') commas.push(last);
    }
    const [first, second = last] = commas;
    if (first === undefined) return [];
    const part = (from: number, to: number) => [tokens[from]?.start ?? 0, tokens[to]?.end ?? 0];
    const [chosen, [start = 0, end = 0]] = [part(at + 2, first - 1), part(first + 1, second - 1)];
    const compared = sql.slice(start, end);
    return [{ name: textAt(at), chosen: sql.slice(...chosen), compared, start, end }];
  });
}
