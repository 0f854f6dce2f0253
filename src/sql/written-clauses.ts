/** The clauses of a SELECT as written, with placeholders, comments and line breaks. Pure. */
import { lexSql, type SqlToken } from './sql-lexer.ts';
import { isStatementEnd } from './statement-end.ts';

interface WrittenPart {
  readonly text: string;
  readonly start: number;
  /** After its last token. */
  readonly end: number;
}

interface WrittenClause extends WrittenPart {
  /** Its comma-separated elements. */
  readonly elements: readonly WrittenPart[];
}

/** By each clause's first keyword, such as `ORDER`. */
export type WrittenClauses = ReadonlyMap<string, WrittenClause>;

const FIRST_WORD =
  /^(?:WITH|SELECT|FROM|PREWHERE|WHERE|GROUP|HAVING|WINDOW|QUALIFY|ORDER|LIMIT|OFFSET|FETCH|SETTINGS|FORMAT|UNION|INTERSECT|EXCEPT)$/;

/** For the last SELECT outside of parentheses; a clause that occurs twice, such as LIMIT, counts the first time. */
export function writtenClauses(sql: string): WrittenClauses {
  const depths = depthsOf(sql);
  const clauses = new Map<string, WrittenClause>();
  let name = '';
  let start = 0;
  const close = (end: number) => {
    const body = depths.slice(start, end);
    if (body.length > 0 && !clauses.has(name)) clauses.set(name, toClause(sql, body));
  };
  for (const [at, { token, depth }] of depths.entries()) {
    const word = wordOf(sql, token);
    const isSecond = word === 'BY' && at === start && /^(?:GROUP|ORDER)$/.test(name);
    if (isSecond || (word === 'DISTINCT' && at === start)) start = at + 1;
    if (depth > 0 || !(FIRST_WORD.test(word) || isStatementEnd(sql, token))) continue;
    close(at);
    if (isStatementEnd(sql, token)) return clauses;
    name = word;
    start = at + 1;
  }
  close(depths.length);
  return clauses;
}

interface Deep {
  readonly token: SqlToken;
  /** Number of enclosing open parentheses; a parenthesis itself counts as outside. */
  readonly depth: number;
}

function depthsOf(sql: string): readonly Deep[] {
  let depth = 0;
  return lexSql(sql).map((token) => {
    const text = token.kind === 'symbol' ? sql[token.start] : '';
    if (text === ')' || text === ']' || text === '}') depth -= 1;
    const own = depth;
    if (text === '(' || text === '[' || text === '{') depth += 1;
    return { token, depth: own };
  });
}

function wordOf(sql: string, { kind, start, end }: SqlToken): string {
  return kind === 'word' ? sql.slice(start, end).toUpperCase() : '';
}

function toClause(sql: string, body: readonly Deep[]): WrittenClause {
  const elements: WrittenPart[] = [];
  let first = 0;
  for (const [at, { token, depth }] of body.entries()) {
    const isComma = token.kind === 'symbol' && sql[token.start] === ',' && depth === 0;
    if (isComma) {
      elements.push(partOf(sql, body.slice(first, at)));
      first = at + 1;
    }
  }
  elements.push(partOf(sql, body.slice(first)));
  return { ...partOf(sql, body), elements };
}

function partOf(sql: string, tokens: readonly Deep[]): WrittenPart {
  const start = tokens[0]?.token.start ?? 0;
  const end = tokens.at(-1)?.token.end ?? start;
  return { text: sql.slice(start, end), start, end };
}
