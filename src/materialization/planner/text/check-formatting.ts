/** Checks that the engine's formatting of a query can be split at keywords. */
import { countKeywordNames, isKeywordName } from '../../../sql/keyword-names.ts';
import { refuse } from '../refusal.ts';

export interface Syntax {
  /** Lines of the syntax tree of the author's text. */
  readonly written: readonly string[];
  /** Those of the formatted text. */
  readonly formatted: readonly string[];
  /** The author's text. */
  readonly text: string;
}

/**
 * Throws Refusal unless both texts have the same syntax tree and each column, table or alias that is named like a
 * keyword is in quotes.
 */
export function requireSameSyntax({ written, formatted, text }: Syntax): void {
  if (written.join('\n') !== formatted.join('\n')) {
    const at = written.findIndex((line, i) => line !== formatted[i]);
    refuse(
      `${subjectOf(written[at] ?? '')} is read in another way once the engine has formatted the query; put it in brackets of its own, or write it in simpler terms.`,
    );
  }
  const quoted = new Map(countKeywordNames(text));
  for (const line of written) {
    const names =
      /^ *(?:Identifier|TableIdentifier|WithElement) (.+?)(?: \(|$)/.exec(line)?.[1] ?? '';
    const alias = /\(alias (.+?)\)(?: \(children \d+\))?$/.exec(line)?.[1] ?? '';
    for (const name of [...names.split('.'), alias]) {
      const word = name.toLowerCase();
      if (!isKeywordName(word)) continue;
      const left = quoted.get(word) ?? 0;
      quoted.set(word, left - 1);
      // Of a Nullable in quotes as well: it is 0 for the rows that a JOIN adds.
      if (left > 0 && word !== 'null') continue;
      if (name === 'null' && names.endsWith('.null'))
        refuse(
          `The name null is also a word of SQL; write isNull(${names.slice(0, -'.null'.length)}) instead of ${names}, or give the column another name.`,
        );
      const quote = word === 'null' ? '' : `write it in quotes, as \`${name}\`, or `;
      refuse(
        `The name ${name} is also a word of SQL; ${quote}give the column, table or alias another name.`,
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
