/** Queries that select rows. */
import { aWhere } from './conditions.ts';
import { anExpression, isNumber, isOf, isPlain } from './expressions.ts';
import type { From } from './joins.ts';
import type { Given, Reach } from './reach.ts';
import { aSource } from './sources.ts';
import { type Condition, emptySelect, type Item, type Select } from './spec.ts';
import { aliasFor, baseOf, both, constantsOf, tail, unique } from './tails.ts';
import { rowWindow } from './windows.ts';

export function rowsQuery(given: Given): Select {
  const { random } = given;
  const source = aSource(given);
  const reach: Reach = { ...given, scope: source.scope };
  const chosen = Array.from({ length: random.int(1, 4) }, () => anExpression(random, source.scope));
  const items = chosen.map(
    (one, at): Item => ({ text: one.text, alias: aliasFor(reach, one, `i${at}`) }),
  );
  const identity = source.identity.filter(() => random.chance(0.8));
  const isDistinct = random.chance(0.12);
  if (isDistinct) return distinctRows(reach, source, items);
  for (const text of identity) items.push({ text, alias: null });
  const pinned = random.chance(0.15) ? pin(reach) : null;
  if (pinned !== null || (given.isBold && random.chance(0.12)))
    items.push({ text: rowWindow(reach, pinned?.key ?? null, source.identity), alias: 'w' });
  if (given.isBold && random.chance(0.08))
    items.push({ text: variableItem(reach), alias: 'given' });
  const where = both(pinned?.condition ?? null, aWhere(reach, pinned === null ? 1 : 0));
  const sortable = [
    ...chosen.filter(isPlain).map(({ text }) => text),
    anExpression(random, source.scope, isPlain).text,
  ];
  const end = tail(
    reach,
    given.isBold && random.chance(0.06) ? [orderByVariable(reach)] : sortable,
    source.identity,
  );
  const limitBy =
    random.chance(0.06) && end.orderBy.length > 0
      ? `LIMIT ${random.int(1, 3)} BY ${anExpression(random, source.scope, (one) => one.isKey).text}`
      : '';
  return {
    ...emptySelect,
    ...baseOf(source),
    ...end,
    isWithTies: end.isWithTies && limitBy === '',
    items: unique(items),
    where,
    limitBy,
    named: constantsOf(random),
  };
}

function distinctRows(reach: Reach, source: From, given: readonly Item[]): Select {
  const items = unique(given).map(({ text }, at) => ({ text, alias: `d${at}` }));
  const isSortable = source.scope.length > 0 && reach.random.chance(0.7);
  const end = isSortable
    ? tail(
        reach,
        items.map(({ alias }) => alias),
        [],
      )
    : {};
  return {
    ...emptySelect,
    ...baseOf(source),
    ...end,
    isDistinct: true,
    items,
    where: aWhere(reach),
  };
}

/** A key that a variable holds fixed. */
function pin({
  random,
  scope,
  variables,
}: Reach): { readonly key: string; readonly condition: Condition } | null {
  const key = anExpression(random, scope, (one) => one.isKey && isPlain(one));
  if (!isPlain(key)) return null;
  return {
    key: key.text,
    condition: { kind: 'atom', text: `${key.text} = ${variables.scalar(key)}` },
  };
}

function variableItem({ random, scope, variables }: Reach): string {
  const number = anExpression(random, scope, isNumber);
  return random.pick([
    variables.given('String', ['a', 'b', '', 'é', "it's"]),
    `${number.text} * ${variables.given('Int32', [1, 2, 0, -3, 10])}`,
    `${number.text} > ${variables.given('Int32', [1, 2, 0, -3, 10])}`,
    `if(${variables.given('Bool', [true, false, true, false, true])}, ${number.text}, 0)`,
  ]);
}

function orderByVariable({ random, scope, variables }: Reach): string {
  const [one, two] = [
    anExpression(random, scope, isOf('int')),
    anExpression(random, scope, isOf('int')),
  ];
  return `if(${variables.given('String', ['a', 'b', '', 'a', 'b'])} = 'a', ${one.text}, ${two.text})`;
}
