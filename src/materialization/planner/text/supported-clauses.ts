/** Which clauses a query with variables may have, and where the variables may be used. */
import { refuse } from '../refusal.ts';
import { variablesIn } from './parameters.ts';
import type { ClauseName, Select } from './select.ts';
import { hasKeyword, isKeyword } from './tokens.ts';

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

const reasons = {
  qualify: 'QUALIFY cannot be materialized with variables; filter in a subquery of your own table.',
  window:
    'A WINDOW clause cannot be materialized with variables; write each window out behind OVER.',
  ties: 'LIMIT … WITH TIES and FETCH cannot be materialized with variables; use LIMIT.',
  sample: 'SAMPLE cannot be materialized with variables; leave it out.',
  recursive: 'WITH RECURSIVE cannot be materialized with variables; leave the variables out.',
} as const;

export const arrayJoinReason =
  'The function arrayJoin cannot be materialized with variables; use an ARRAY JOIN clause.';

/**
 * Throws Refusal for a variable outside of WHERE, and for clauses that no plan with variables supports.
 *
 * @param pullable clauses whose variables may still be pulled up into WHERE.
 */
export function requireSupportedClauses(
  { clauses }: Select,
  names: readonly string[],
  pullable: readonly ClauseName[] = [],
): void {
  for (const [clause, tokens] of clauses) {
    const [variable] = pullable.includes(clause) ? [] : variablesIn(tokens);
    const reason = clauseReasons[clause];
    if (variable === undefined || reason === undefined) continue;
    refuse(`The variable ${names[variable] ?? ''} is used in ${reason}.`);
  }
  const hasTies = clauses.has('FETCH') || hasKeyword(clauses.get('LIMIT') ?? [], 'TIES');
  if (clauses.has('QUALIFY')) refuse(reasons.qualify);
  if (clauses.has('WINDOW')) refuse(reasons.window);
  if (hasTies) refuse(reasons.ties);
  if (hasKeyword(clauses.get('FROM') ?? [], 'SAMPLE')) refuse(reasons.sample);
  if (isKeyword(clauses.get('WITH')?.[0], 'RECURSIVE')) refuse(reasons.recursive);
  const all = [...clauses.values()].flat();
  const isArrayJoin = all.some(
    (token, at) => isKeyword(token, 'ARRAYJOIN', 'UNNEST') && all[at + 1]?.text === '(',
  );
  if (isArrayJoin) refuse(arrayJoinReason);
}
