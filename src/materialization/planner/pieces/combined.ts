/** Predicates as the comparisons that AND and OR combine. */
import { conjuncts, isKeyword, splitBy, type Tokens, unwrapped } from '../text/tokens.ts';

export type Combined<Part> =
  | { readonly kind: 'one'; readonly part: Part }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Combined<Part>[] };

export function combined(condition: Tokens): Combined<Tokens> {
  const part = unwrapped(condition);
  const either = splitBy(part, (token) => isKeyword(token, 'OR'));
  if (either.length > 1) return { kind: 'any', parts: either.map(combined) };
  const all = conjuncts(part);
  return all.length > 1 ? { kind: 'all', parts: all.map(combined) } : { kind: 'one', part };
}

export function mapParts<A, B>(parts: Combined<A>, map: (part: A) => B): Combined<B> {
  if (parts.kind === 'one') return { kind: 'one', part: map(parts.part) };
  return { kind: parts.kind, parts: parts.parts.map((each) => mapParts(each, map)) };
}

export function leavesOf<Part>(parts: Combined<Part>): readonly Part[] {
  return parts.kind === 'one' ? [parts.part] : parts.parts.flatMap(leavesOf);
}
