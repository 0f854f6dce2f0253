/** Random choices that depend on a seed alone, so that a query can be generated again by its number. */

export interface Random {
  /** From 0 up to, but without, 1. */
  next(): number;
  /** Both ends included. */
  int(lowest: number, highest: number): number;
  pick<T>(list: readonly T[]): T;
  /** By weight. */
  weighted<T>(list: readonly (readonly [number, T])[]): T;
  chance(probability: number): boolean;
  /** Different ones, in random order. */
  some<T>(list: readonly T[], atLeast: number, atMost: number): readonly T[];
}

/** @param stream another one gives other choices for the same seed. */
export function openRandom(seed: number, stream: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    // mulberry32, which is in the public domain
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  for (let warm = 0; warm < 3; warm += 1) next();
  const int = (lowest: number, highest: number) =>
    lowest + Math.floor(next() * (highest - lowest + 1));
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error('there is nothing to pick from');
    return list[int(0, list.length - 1)] as T;
  };
  return {
    next,
    int,
    pick,
    weighted(list) {
      let left = next() * list.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, what] of list) {
        left -= weight;
        if (left < 0) return what;
      }
      return pick(list)[1];
    },
    chance: (probability) => next() < probability,
    some(list, atLeast, atMost) {
      const rest = [...list];
      const count = Math.min(rest.length, int(atLeast, atMost));
      return Array.from({ length: count }, () => rest.splice(int(0, rest.length - 1), 1)).flat();
    },
  };
}
