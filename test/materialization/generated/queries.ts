/** Whole queries: rows, groups, groups of groups, unions, each with its variables. */
import { groupsQuery } from './groups-query.ts';
import { nestedQuery, unionQuery } from './nested-query.ts';
import { openRandom } from './random.ts';
import type { Given } from './reach.ts';
import { rowsQuery } from './rows-query.ts';
import { type Condition, render, type Select } from './spec.ts';
import { withStars } from './stars.ts';
import { openVariables, type Variable } from './variables.ts';

export interface Generated {
  readonly select: Select;
  /** Those that the text does not use included. */
  readonly variables: readonly Variable[];
}

/** @param index the number of the query among those of the seed. */
export function generateQuery(seed: number, index: number): Generated {
  const random = openRandom(seed, index);
  const variables = openVariables(random);
  const given: Given = { random, variables, isBold: random.chance(0.5) };
  const select = random.weighted<(one: Given) => Select>([
    [9, rowsQuery],
    [12, groupsQuery],
    [3, nestedQuery],
    [1, unionQuery],
  ])(given);
  const starred = random.chance(0.15) ? withStars(select, random) : select;
  return { select: withLegacy(starred, given), variables: variables.all };
}

/** At times one more condition, with a variable in the older spelling. */
function withLegacy(select: Select, { random, variables }: Given): Select {
  if (!random.chance(0.08) || select.from.kind !== 'table' || select.from.name !== 'orders')
    return select;
  const [text, kind, present] = random.pick([
    ['channel', 'text', ['web', 'app']],
    ['qty', 'int', [0, 1]],
    ['day', 'date', ['2024-03-01', '2024-03-15']],
    ['gift', 'bool', [false, true]],
  ] as const);
  const alias = select.from.alias === '' ? '' : `${select.from.alias}.`;
  const value = variables.legacy({
    kind,
    type: '',
    pool: { present, edges: present, absent: present },
  });
  if (value === null) return select;
  const operator = kind === 'date' || kind === 'int' ? random.pick(['>=', '=', '<']) : '=';
  const atom: Condition = { kind: 'atom', text: `${alias}${text} ${operator} ${value}` };
  return {
    ...select,
    where: select.where === null ? atom : { kind: 'all', parts: [select.where, atom] },
  };
}

export function uses(sql: string, name: string): boolean {
  return sql.includes(`{${name}:`) || sql.includes(`{variables.${name}}`);
}

/** Text and the variables that it uses. */
export function written({ select, variables }: Generated): {
  readonly sql: string;
  readonly used: readonly Variable[];
} {
  const sql = render(select);
  return { sql, used: variables.filter(({ name }) => uses(sql, name)) };
}
