/** The items before the first one that is not accepted. */
export function takeWhile<T>(list: readonly T[], accepts: (item: T) => boolean): readonly T[] {
  const end = list.findIndex((item) => !accepts(item));
  return end < 0 ? list : list.slice(0, end);
}
