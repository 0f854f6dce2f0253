/** The parts that all queries share: names, order, limits. */
import type { Expression } from './expressions.ts';
import type { From } from './joins.ts';
import type { Random } from './random.ts';
import type { Reach } from './reach.ts';
import type { Condition, Item, Select, SortKey } from './spec.ts';

const directions = [
  '',
  '',
  ' DESC',
  ' DESC',
  ' ASC',
  ' DESC NULLS FIRST',
  ' ASC NULLS FIRST',
] as const;

/** By these texts, with a tie-breaker or without one; and how much of the rows is returned. */
export function tail(
  reach: Reach,
  texts: readonly string[],
  identity: readonly string[],
): Pick<Select, 'orderBy' | 'limit' | 'offset' | 'isWithTies'> {
  const { random, variables, isBold } = reach;
  if (random.chance(0.25) || texts.length === 0) {
    const isCut = isBold && random.chance(0.12);
    return { orderBy: [], limit: isCut ? '7' : null, offset: null, isWithTies: false };
  }
  const chosen = random.some(texts, 1, 2).filter((text) => !identity.includes(text));
  const all = random.chance(0.6)
    ? [...chosen, ...identity]
    : chosen.length === 0
      ? identity
      : chosen;
  const orderBy = all.map((text): SortKey => ({ text, direction: random.pick(directions) }));
  const isCut = orderBy.length > 0 && random.chance(0.45);
  const isVariable = isCut && isBold && random.chance(0.15);
  const limit = !isCut
    ? null
    : isVariable
      ? variables.given('UInt16', [5, 1, 100, 20, 3])
      : String(random.pick([1, 3, 10, 25]));
  const offset = isCut && random.chance(0.2) ? String(random.pick([1, 4])) : null;
  return { orderBy, limit, offset, isWithTies: isCut && isBold && random.chance(0.14) };
}

export function baseOf({ ctes, from, joins, arrayJoin }: From) {
  return { ctes, from, joins, arrayJoin };
}

/** Mostly a name of its own; at times that of the column it is computed from, as many people write. */
export function aliasFor(
  { random, scope }: Reach,
  { text, kind }: Expression,
  name: string,
): string | null {
  const column = /\b[a-z]\w*\.([a-z_]+)\b/.exec(text)?.[1] ?? /\(([a-z_]+)[,)]/.exec(text)?.[1];
  const isOfKind = (one: Expression) => one.kind === kind && one.text.endsWith(column ?? '');
  if (column !== undefined && scope.some(isOfKind) && random.chance(0.15)) return column;
  return random.chance(0.75) ? name : null;
}

/** No name twice. */
export function unique(items: readonly Item[]): readonly Item[] {
  const names = new Set<string>();
  return items.filter(({ text, alias }) => {
    const name = alias ?? text.replace(/^\w+\./, '');
    const isNew = !names.has(name);
    names.add(name);
    return isNew;
  });
}

export function both(...conditions: readonly (Condition | null)[]): Condition | null {
  const parts = conditions.filter((one) => one !== null);
  return parts.length > 1 ? { kind: 'all', parts } : (parts[0] ?? null);
}

export function constantsOf(random: Random): readonly string[] {
  return random.chance(0.04) ? ['7 AS seven', "'x' AS fixed"] : [];
}
