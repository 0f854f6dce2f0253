/** Plans that are wrong in one place, made from right ones. */
import type { MaterializationPlan } from '../../../src/model/materialization-plan.ts';

export interface Mutant {
  /** What was changed, and in which of its two texts. */
  readonly what: string;
  readonly plan: MaterializationPlan;
}

type Change = readonly [what: string, found: RegExp, put: (...found: string[]) => string];

const exchanged: Readonly<Record<string, string>> = {
  '>=': '>',
  '>': '>=',
  '<=': '<',
  '<': '<=',
  '=': '!=',
  '!=': '=',
};
const otherAggregate: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  sum: 'max',
  count: 'uniqExact',
  minMerge: 'maxMerge',
  argMax: 'argMin',
  countIf: 'uniqIf',
  uniqExact: 'count',
  avg: 'max',
};

/** Each is applied at each position where it can be, one at a time. */
const changes: readonly Change[] = [
  ['an end of a range', / (>=|<=|>|<|=|!=) /, (_all, sign = '') => ` ${exchanged[sign]} `],
  ['IN', / (NOT IN|IN) /, (_all, word) => (word === 'IN' ? ' NOT IN ' : ' IN ')],
  ['LIKE', / LIKE /, () => ' NOT LIKE '],
  ['OR', / OR /, () => ' AND '],
  [
    'a predicate left out',
    /\((?:__v\d+|\w+) (?:>=|<=|>|<|=|!=|IN|NOT IN|LIKE) (?:[^()]|\([^()]*\))*\)/,
    () => '(1 = 1)',
  ],
  ['the direction', / (ASC|DESC)\b/, (_all, word) => (word === 'ASC' ? ' DESC' : ' ASC')],
  ['where NULL stands', / NULLS FIRST/, () => ''],
  ['no order', / ORDER BY (?:(?! LIMIT | OFFSET |\)).)+/, () => ''],
  [
    'one key less',
    / ORDER BY ((?:(?! LIMIT | OFFSET |\)|,).)+), (?:(?! LIMIT | OFFSET |\)).)+/,
    (_all, first = '') => ` ORDER BY ${first}`,
  ],
  ['one row more', / LIMIT (\d+)/, (_all, rows) => ` LIMIT ${Number(rows) + 1}`],
  ['one row less', / LIMIT (\d+)/, (_all, rows) => ` LIMIT ${Number(rows) - 1}`],
  ['another offset', / OFFSET (\d+)/, (_all, rows) => ` OFFSET ${Number(rows) + 1}`],
  // What is stored twice is read once all the same.
  ['DISTINCT left out', /^SELECT DISTINCT /, () => 'SELECT '],
  [
    'a key of groups left out',
    /( GROUP BY (?:[^()]|\([^()]*\))*?), \w+(?= HAVING| ORDER|\)|$)/,
    (_all, kept = '') => kept,
  ],
  ['HAVING left out', / HAVING (?:(?! ORDER | LIMIT ).)+/, () => ''],
  [
    'a constant',
    /(?<= (?:>|<|>=|<=|=|!=) )(\d+)\b(?!\))/,
    (_all, number) => String(Number(number) + 1),
  ],
  [
    'another aggregate',
    /\b(min|max|sum|count|argMax|countIf|uniqExact|avg)(?=\()/,
    (_all, name = '') => String(otherAggregate[name]),
  ],
  [
    'two columns exchanged',
    /\b(__[ck]\d+) AS (\S+), (__[ck]\d+) AS/,
    (_all, one, name, other) => `${other} AS ${name}, ${one} AS`,
  ],
  [
    'two columns exchanged',
    /^SELECT \* FROM \(SELECT (\w+), (\w+),/,
    (_all, one, other) => `SELECT * FROM (SELECT ${other}, ${one},`,
  ],
];

export function mutantsOf(plan: MaterializationPlan): readonly Mutant[] {
  return (['readQuery', 'storedQuery'] as const).flatMap((member) =>
    changes.flatMap(([what, found, put]) =>
      [...plan[member].matchAll(new RegExp(found, 'g'))].map((match): Mutant => {
        const text = plan[member];
        const behind = text.slice(match.index + match[0].length);
        const changed = `${text.slice(0, match.index)}${put(...match)}${behind}`;
        return { what: `${what} of ${member}: ${changed}`, plan: { ...plan, [member]: changed } };
      }),
    ),
  );
}
