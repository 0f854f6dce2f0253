/** The values of a repeatable option: `--scope a,b --scope c` → a, b, c. */
export function collect(given: string, earlier: readonly string[] = []): readonly string[] {
  const items = given.split(',').map((item) => item.trim());
  return [...earlier, ...items.filter((item) => item !== '')];
}
