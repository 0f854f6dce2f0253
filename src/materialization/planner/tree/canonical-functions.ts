/** Expressions that are written in several ways and mean the same. */
import type { AggregateNames } from '../text/aggregates.ts';
import { partTerm, type Term, termsOf, toTerm, withPart } from './canonical-node.ts';

const turned: ReadonlyMap<string, string> = new Map([
  ['greater', 'less'],
  ['greaterOrEquals', 'lessOrEquals'],
]);
const symmetric = new Set(['equals', 'notEquals']);

/** Comparisons the same way round. */
export function asComparison(term: Term): Term {
  const [left, right, ...others] = termsOf(term, 'ARGUMENTS');
  if (left === undefined || right === undefined || others.length > 0) return term;
  const name = turned.get(term.name);
  const isTurned = name !== undefined || (symmetric.has(term.name) && left.key > right.key);
  if (!isTurned) return term;
  return withPart({ ...term, name: name ?? term.name }, 'ARGUMENTS', [right, left]);
}

/** The conditions of which all must hold. */
export function conditionsOf(where: readonly Term[]): readonly Term[] {
  return where.flatMap((term) =>
    term.kind === 'FUNCTION' && term.name === 'and'
      ? conditionsOf(termsOf(term, 'ARGUMENTS'))
      : [term],
  );
}

/** By what parts of an aggregate are put together that are results themselves. */
const recombining: ReadonlyMap<string, readonly string[]> = new Map([
  ['sum', ['count', 'sum', 'countIf', 'sumIf']],
  ['min', ['min']],
  ['max', ['max']],
  ['groupBitAnd', ['groupBitAnd']],
  ['groupBitOr', ['groupBitOr', 'groupBitOrIf']],
  ['groupBitXor', ['groupBitXor', 'groupBitXorIf']],
]);

/** An aggregate under its own name; one that was put together from parts as the aggregate over all of them. */
export function asMerged(term: Term, names: AggregateNames): Term {
  const call = { ...term, name: plainName(term.name, names) };
  const [part, ...others] = termsOf(term, 'ARGUMENTS');
  const isOne = part !== undefined && others.length === 0 && isAggregate(part);
  if (isOne && recombining.get(call.name)?.includes(part.name) === true) return part;
  const whole = call.name.replace(/Merge$/, '');
  const sameParams =
    isOne && keysOf(termsOf(call, 'PARAMETERS')) === keysOf(termsOf(part, 'PARAMETERS'));
  if (sameParams && whole !== call.name && part.name === `${whole}State`) {
    return toTerm({ ...part, name: whole, type: term.type });
  }
  return toTerm(call);
}

function plainName(name: string, names: AggregateNames): string {
  const read = names(name);
  if (read === null) return name;
  const [first, ...others] = read.combinators;
  const isCounting = read.base === 'count' && first === 'Distinct';
  return isCounting ? `uniqExact${others.join('')}` : `${read.base}${read.combinators.join('')}`;
}

export function isAggregate({ kind, detail }: Term): boolean {
  return kind === 'FUNCTION' && /function_type: aggregate/.test(detail);
}

export function isWindow({ kind, detail }: Term): boolean {
  return kind === 'FUNCTION' && /function_type: window/.test(detail);
}

export function keysOf(terms: readonly Term[]): string {
  return partTerm('', terms).key;
}
