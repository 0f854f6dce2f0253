/** Trees of conditions. */
import { constant, plainAtoms } from './comparisons.ts';
import {
  arithmetic,
  containers,
  inSubquery,
  optional,
  search,
  shared,
  switched,
} from './filters.ts';
import type { Atom, Reach } from './reach.ts';
import type { Condition } from './spec.ts';

const [comparison, equality, range, membership] = plainAtoms;

const weights: readonly (readonly [number, Atom])[] = [
  [8, comparison],
  [6, equality],
  [7, range],
  [4, membership],
  [7, optional],
  [4, search],
  [3, containers],
  [3, arithmetic],
  [2, shared],
  [1, switched],
  [3, inSubquery],
];

function anAtom(reach: Reach, from?: readonly Atom[]): string {
  for (let turn = 0; turn < 30; turn += 1) {
    const make = from === undefined ? reach.random.weighted(weights) : reach.random.pick(from);
    const text = make(reach);
    if (text !== null) return text;
  }
  return '1';
}

/** With a variable, unless the scope allows none. */
export function variableCondition(reach: Reach): Condition {
  const { random, isBold } = reach;
  if (!isBold || random.chance(0.3)) {
    return { kind: 'atom', text: anAtom(reach, random.chance(0.15) ? [search] : plainAtoms) };
  }
  const atom = (): Condition => ({ kind: 'atom', text: anAtom(reach) });
  const form = random.int(0, 19);
  if (form <= 13) return atom();
  if (form === 14) return { kind: 'not', part: atom() };
  const more = (): Condition => (random.chance(0.4) ? constantCondition(reach) : atom());
  if (form <= 17) return { kind: 'any', parts: [atom(), more()] };
  if (form === 18)
    return { kind: 'any', parts: [{ kind: 'all', parts: [atom(), more()] }, more()] };
  return { kind: 'not', part: { kind: 'any', parts: [atom(), more()] } };
}

export function constantCondition(reach: Reach): Condition {
  return { kind: 'atom', text: constant(reach) ?? '1' };
}

/** Up to three conditions, most with variables. */
export function aWhere(reach: Reach, atLeast = 1): Condition | null {
  const count = reach.random.weighted([
    [atLeast === 0 ? 3 : 0, 0],
    [8, 1],
    [5, 2],
    [1, 3],
  ]);
  const parts = Array.from({ length: count }, () => variableCondition(reach));
  if (reach.random.chance(0.3)) parts.push(constantCondition(reach));
  const [first] = parts;
  if (first === undefined) return null;
  return parts.length === 1 ? first : { kind: 'all', parts };
}
