/** The values of an option that may be given again and again: `--scope a,b --scope c` → a, b, c. */
export function collect(given: string, earlier: readonly string[] = []): readonly string[] {
  const items = given.split(',').map((item) => item.trim());
  return [...earlier, ...items.filter((item) => item !== '')];
}
