/** What the engine's syntax tree says against cutting its formatting at keywords. */
import { refuse } from '../refusal.ts';

/** The words at which the formatted text is cut. */
const reservedWords = new Set(
  (
    'with select distinct from prewhere where group having window qualify order limit offset fetch settings ' +
    'union intersect except and or not in like ilike as asc desc over by is null true false global'
  ).split(' '),
);

/**
 * Throws Refusal unless the formatted text is the written one, and no column or alias is called like a word
 * by which the formatted text is cut: the engine writes such names without quotes.
 *
 * @param written the lines of the tree of the text as its author wrote it.
 */
export function requireSameSyntax(written: readonly string[], formatted: readonly string[]): void {
  if (written.join('\n') !== formatted.join('\n')) {
    refuse(
      'The engine formats this query into one that it reads in another way; write it in simpler terms.',
    );
  }
  for (const line of written) {
    const names =
      /^ *(?:Identifier|TableIdentifier|WithElement) (.+?)(?: \(|$)/.exec(line)?.[1] ?? '';
    const alias = /\(alias (.+?)\)(?: \(children \d+\))?$/.exec(line)?.[1] ?? '';
    for (const name of [...names.split('.'), alias]) {
      if (!reservedWords.has(name.toLowerCase())) continue;
      refuse(
        `The name ${name} is also a word of SQL; give the column, table or alias another name.`,
      );
    }
  }
}
