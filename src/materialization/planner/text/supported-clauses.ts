/** The clauses supported in queries with variables, and where variables may be used. */
import { refuse, refuseClause } from '../refusal.ts';
import { variablesIn } from './parameters.ts';
import type { ClauseName, Select } from './select.ts';
import { hasKeyword, isKeyword } from './tokens.ts';

const onlyWhere = 'use it in WHERE alone';

/** Clauses evaluated at read time, which may therefore use variables. */
export const readClauses: readonly ClauseName[] = [
  'SELECT',
  'HAVING',
  'ORDER BY',
  'LIMIT BY',
  'LIMIT',
  'OFFSET',
];

/** By clause: why a variable is refused there, and what to do instead. */
const clauseReasons: Readonly<Partial<Record<ClauseName, string>>> = {
  WITH: 'WITH where its condition cannot be taken out; use it in the WHERE of the main SELECT',
  SELECT: `the SELECT of a subquery; ${onlyWhere}`,
  FROM: `FROM, as in a JOIN condition; ${onlyWhere}`,
  PREWHERE: 'PREWHERE; write WHERE if the condition means the same there',
  'GROUP BY': `GROUP BY; ${onlyWhere}`,
  HAVING: 'the HAVING of a subquery; only conditions in WHERE can be materialized',
  WINDOW: `a window; ${onlyWhere}`,
  QUALIFY: `QUALIFY; ${onlyWhere}`,
  'ORDER BY': `the ORDER BY of a subquery; ${onlyWhere}`,
  'LIMIT BY': `the LIMIT BY of a subquery; ${onlyWhere}`,
  LIMIT: 'the LIMIT of a subquery; give the limit of the run instead',
  OFFSET: 'the OFFSET of a subquery; give the offset of the run instead',
};

/** Where PREWHERE cannot be read as WHERE. */
export function prewhereReason(name: string): string {
  return `The variable ${name} is used in ${clauseReasons.PREWHERE}.`;
}

const reasons = {
  window:
    'A WINDOW that builds on another one cannot be materialized with variables; write each window out behind OVER.',
  fetch: 'FETCH cannot be materialized with variables; use LIMIT.',
  sample: 'SAMPLE cannot be materialized with variables; leave it out.',
  recursive: 'WITH RECURSIVE cannot be materialized with variables; leave the variables out.',
} as const;

/** Throws Refusal for named windows that could not be inlined. */
export function requireNoWindowNames({ clauses }: Select): void {
  if (clauses.has('WINDOW')) refuse(reasons.window);
}

export const arrayJoinReason =
  'The function arrayJoin cannot be materialized with variables; use an ARRAY JOIN clause.';

/**
 * Throws Refusal for a variable outside WHERE, and for clauses that no plan with variables supports.
 *
 * @param allowed clauses whose variables are pulled up into WHERE or evaluated at read time.
 */
export function requireSupportedClauses(
  { clauses }: Select,
  names: readonly string[],
  allowed: readonly ClauseName[] = [],
): void {
  for (const [clause, tokens] of clauses) {
    const [variable] = allowed.includes(clause) ? [] : variablesIn(tokens);
    const reason = clauseReasons[clause];
    if (variable === undefined || reason === undefined) continue;
    refuseClause(`The variable ${names[variable] ?? ''} is used in ${reason}.`);
  }
  if (clauses.has('FETCH')) refuse(reasons.fetch);
  if (hasKeyword(clauses.get('FROM') ?? [], 'SAMPLE')) refuseClause(reasons.sample);
  if (isKeyword(clauses.get('WITH')?.[0], 'RECURSIVE')) refuse(reasons.recursive);
  const all = [...clauses.values()].flat();
  const isArrayJoin = all.some(
    (token, at) => isKeyword(token, 'ARRAYJOIN', 'UNNEST') && all[at + 1]?.text === '(',
  );
  if (isArrayJoin) refuseClause(arrayJoinReason);
}
