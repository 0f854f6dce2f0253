/** Several rows with the same x, drawn as one value. Pure. */

export type Combine = 'sum' | 'average' | 'minimum' | 'maximum' | 'count';

export const combinations: Readonly<Record<Combine, string>> = {
  sum: 'Sum',
  average: 'Average',
  minimum: 'Minimum',
  maximum: 'Maximum',
  count: 'Count',
};

export function combineIn(params: URLSearchParams): Combine {
  const chosen = params.get('combine') ?? '';
  return Object.hasOwn(combinations, chosen) ? (chosen as Combine) : 'sum';
}

/** Those of one x together, in the order in which each x occurs first. */
export function groupBy<Item>(
  items: readonly Item[],
  xOf: (item: Item) => unknown,
): readonly (readonly Item[])[] {
  const groups = new Map<unknown, Item[]>();
  for (const item of items) {
    const x = xOf(item);
    const group = groups.get(x);
    if (group === undefined) groups.set(x, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** Leaves out nulls; null when there are only nulls and they are not counted. */
export function combined(values: readonly (number | null)[], combine: Combine): number | null {
  const numbers = values.filter((value) => value !== null);
  if (combine === 'count') return numbers.length;
  if (numbers.length === 0) return null;
  if (combine === 'minimum') return numbers.reduce((a, b) => Math.min(a, b));
  if (combine === 'maximum') return numbers.reduce((a, b) => Math.max(a, b));
  const sum = numbers.reduce((a, b) => a + b);
  return combine === 'sum' ? sum : sum / numbers.length;
}
