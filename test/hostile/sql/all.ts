/** Every attack by the text of a query. */
import type { SqlAttack } from '../support/attack.ts';
import { otherDatabases } from './other-databases.ts';
import { sources } from './sources.ts';
import { statements } from './statements.ts';
import { systemTables, tellingFunctions } from './system.ts';

export const attacks: readonly SqlAttack[] = [
  ...otherDatabases,
  ...sources,
  ...systemTables,
  ...tellingFunctions,
  ...statements,
];

export const selects = attacks.filter(({ sql }) => /^(SELECT|WITH)\b/.test(sql));
