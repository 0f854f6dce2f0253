/** Checks whether a CSV uses the declared delimiter. Pure. */
import { invalidInput } from '../../../errors/service-error.ts';

const candidates = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
  [',', 'commas'],
] as const;

interface ExpectedDelimiter {
  /** A comma by default. */
  readonly delimiter?: string | undefined;
  /** Of the data, in the error. */
  readonly name: string;
  /** What to do other than quoting the header. */
  readonly remedy: string;
}

/**
 * Refuses a single-column header that contains another delimiter.
 *
 * @param head the first bytes of the data. A quoted header is taken literally.
 */
export function requireDelimiter(
  head: Buffer,
  { delimiter = ',', name, remedy }: ExpectedDelimiter,
): void {
  const header = head.toString('utf8').split(/\r?\n/, 1)[0] ?? '';
  if (header.includes('"') || header.includes(delimiter)) return;
  const found = candidates.find(([text]) => text !== delimiter && header.includes(text));
  if (found === undefined) return;
  const [own] = candidates.filter(([text]) => text === delimiter);
  const fields = header.split(found[0]).length;
  throw invalidInput(
    null,
    `${name} has one column by ${own?.[1] ?? delimiter}, and ${fields} by ${found[1]}: its header is ${header.slice(0, 100)}. ${remedy}, or quote the header.`,
  );
}
