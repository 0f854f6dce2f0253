/** Which clauses a query with variables may have, and where the variables may be used. */
import { refuse } from '../refusal.ts';
import { variablesIn } from './parameters.ts';
import type { ClauseName, Select } from './select.ts';
import { hasKeyword, isKeyword, type Tokens } from './tokens.ts';

const onlyWhere = 'use it in WHERE alone';
const runLimit = 'give the limit and offset of the run instead';

/** By clause: why a variable is refused there, and what to do instead. */
const clauseReasons: Readonly<Partial<Record<ClauseName, string>>> = {
  WITH: 'WITH where its condition cannot be taken out; use it in the WHERE of the main SELECT',
  SELECT: `SELECT; a stored table can only be filtered by variables, so ${onlyWhere}`,
  FROM: `FROM, as in a JOIN condition; ${onlyWhere}`,
  PREWHERE: 'PREWHERE; write WHERE',
  'GROUP BY': `GROUP BY; ${onlyWhere}`,
  HAVING: 'HAVING; only conditions in WHERE can be materialized',
  WINDOW: `a window; ${onlyWhere}`,
  QUALIFY: `QUALIFY; ${onlyWhere}`,
  'ORDER BY': `ORDER BY; ${onlyWhere}`,
  'LIMIT BY': `LIMIT BY; ${onlyWhere}`,
  LIMIT: `LIMIT; ${runLimit}`,
  OFFSET: `OFFSET; ${runLimit}`,
};

/** Throws Refusal for a variable outside of WHERE. */
export function requireInWhere({ clauses }: Select, names: readonly string[]): void {
  for (const [clause, tokens] of clauses) {
    const [variable] = variablesIn(tokens);
    const reason = clauseReasons[clause];
    if (variable === undefined || reason === undefined) continue;
    refuse(`The variable ${names[variable] ?? ''} is used in ${reason}.`);
  }
}

export const arrayJoinReason =
  'The function arrayJoin cannot be materialized with variables; use an ARRAY JOIN clause.';

/** Throws Refusal for clauses that no plan with variables supports. */
export function requireSupported({ clauses }: Select): void {
  const all = [...clauses.values()].flat();
  if (clauses.has('QUALIFY')) {
    refuse(
      'QUALIFY cannot be materialized with variables; filter in a subquery of your own table.',
    );
  }
  if (clauses.has('WINDOW')) {
    refuse(
      'A WINDOW clause cannot be materialized with variables; write each window out behind OVER.',
    );
  }
  if (clauses.has('FETCH') || hasKeyword(clauses.get('LIMIT') ?? [], 'TIES')) {
    refuse('LIMIT … WITH TIES and FETCH cannot be materialized with variables; use LIMIT.');
  }
  if (hasKeyword(clauses.get('FROM') ?? [], 'SAMPLE')) {
    refuse('SAMPLE cannot be materialized with variables; leave it out.');
  }
  if (isKeyword(clauses.get('WITH')?.[0], 'RECURSIVE')) {
    refuse('WITH RECURSIVE cannot be materialized with variables; leave the variables out.');
  }
  const isArrayJoin = (token: Tokens[number], at: number) =>
    isKeyword(token, 'ARRAYJOIN', 'UNNEST') && all[at + 1]?.text === '(';
  if (all.some(isArrayJoin)) refuse(arrayJoinReason);
}
