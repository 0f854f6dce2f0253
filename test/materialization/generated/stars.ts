/** `*` where people write it out of habit: around a table, in EXISTS, and over a query that names its columns. */
import type { Random } from './random.ts';
import { tables } from './schema.ts';
import { type Condition, emptySelect, type Select, type Source } from './spec.ts';

const star = { text: '*', alias: null };

/** The same query with stars in some places. */
export function withStars(select: Select, random: Random): Select {
  const isTable = (name: string) => name in tables && select.ctes.every((cte) => cte.name !== name);
  const source = (given: Source): Source => {
    if (given.kind === 'select') return { ...given, select: withStars(given.select, random) };
    if (!isTable(given.name) || !random.chance(0.6)) return given;
    const all = { ...emptySelect, items: [star], from: { ...given, alias: '' } };
    const inner = random.chance(0.3) ? around(all, 'within') : all;
    return { kind: 'select', select: inner, alias: given.alias === '' ? given.name : given.alias };
  };
  return {
    ...select,
    ctes: select.ctes.map(({ name, select: cte }) => ({
      name,
      select: random.chance(0.3) ? around(withStars(cte, random), 'named') : withStars(cte, random),
    })),
    from: source(select.from),
    joins: select.joins.map((join) => ({ ...join, source: source(join.source) })),
    where: select.where === null ? null : inExistence(select.where),
  };
}

function around(select: Select, alias: string): Select {
  return { ...emptySelect, items: [star], from: { kind: 'select', select, alias } };
}

function inExistence(condition: Condition): Condition {
  if (condition.kind === 'atom')
    return {
      ...condition,
      text: condition.text.replaceAll('EXISTS (SELECT 1 ', 'EXISTS (SELECT * '),
    };
  if (condition.kind === 'not') return { ...condition, part: inExistence(condition.part) };
  return { ...condition, parts: condition.parts.map(inExistence) };
}
