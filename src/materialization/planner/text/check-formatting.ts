/** Checks that the engine's formatting of a query can be split at keywords. */
import { refuse } from '../refusal.ts';

/** Keywords at which the formatted text is split. */
const reservedWords = new Set(
  (
    'with select distinct from prewhere where group having window qualify order limit offset fetch settings ' +
    'union intersect except and or not in like ilike as asc desc over by is null true false global'
  ).split(' '),
);

/**
 * Throws Refusal unless both texts have the same syntax tree and no column, table or alias is named like a keyword,
 * since the engine formats such names without quotes.
 *
 * @param written lines of the syntax tree of the author's text.
 */
export function requireSameSyntax(written: readonly string[], formatted: readonly string[]): void {
  if (written.join('\n') !== formatted.join('\n')) {
    const at = written.findIndex((line, i) => line !== formatted[i]);
    refuse(
      `${subjectOf(written[at] ?? '')} is read in another way once the engine has formatted the query; put it in brackets of its own, or write it in simpler terms.`,
    );
  }
  for (const line of written) {
    const names =
      /^ *(?:Identifier|TableIdentifier|WithElement) (.+?)(?: \(|$)/.exec(line)?.[1] ?? '';
    const alias = /\(alias (.+?)\)(?: \(children \d+\))?$/.exec(line)?.[1] ?? '';
    for (const name of [...names.split('.'), alias]) {
      if (!reservedWords.has(name.toLowerCase())) continue;
      if (name === 'null' && names.endsWith('.null'))
        refuse(
          `The name null is also a word of SQL; write isNull(${names.slice(0, -'.null'.length)}) instead of ${names}, or give the column another name.`,
        );
      refuse(
        `The name ${name} is also a word of SQL; give the column, table or alias another name.`,
      );
    }
  }
}

/** @param line of a syntax tree. */
function subjectOf(line: string): string {
  const [, kind, name] = /^ *(Function|Identifier|TableIdentifier) (\S+)/.exec(line) ?? [];
  if (name === undefined) return 'A part of the query';
  return kind === 'Function' ? `The function ${name}` : `The name ${name}`;
}
