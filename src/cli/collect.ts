import { InvalidArgumentError } from 'commander';

/**
 * The values of a repeatable option: `--scope a,b --scope c` → a, b, c. An empty one, as of a variable of a shell that
 * is not set, is refused: without the option, a key might have more rights or no limit.
 */
export function collect(given: string, earlier: readonly string[] = []): readonly string[] {
  const items = given.split(',').map((item) => item.trim());
  const found = items.filter((item) => item !== '');
  if (found.length === 0) throw new InvalidArgumentError('It is empty.');
  return [...earlier, ...found];
}
