/** Refuses reads that would look values up in each run. */
import { isLookup } from '../../sql/lookup-functions.ts';
import { lexSql } from '../../sql/sql-lexer.ts';
import { refuse } from './refusal.ts';
import type { Tokens } from './text/tokens.ts';

export function namesLookup(tokens: Tokens): boolean {
  return tokens.some(({ text }) => isLookup(text));
}

/** Throws Refusal for a read with a lookup: rows and what is looked up for them would be of two times. */
export function requireNoLookup(readQuery: string): void {
  const tokens = lexSql(readQuery);
  for (const [at, { kind, start, end }] of tokens.entries()) {
    const next = tokens[at + 1];
    const isCall = kind === 'word' && next !== undefined && readQuery[next.start] === '(';
    const name = readQuery.slice(start, end);
    if (isCall && isLookup(name)) refuseLookup(name);
  }
}

export function refuseLookup(name: string): never {
  refuse(
    `The function ${name} would look a value up in each run, when there may be another one than when the rows were stored. Give it columns of tables alone; variables may be compared with its result.`,
  );
}
