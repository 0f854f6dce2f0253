/**
 * Spellings of times that mean the same everywhere, besides ISO 8601. The engine also reads `12:00` and `5 May`,
 * assuming the year in which it runs, and `05/06/2001` as June 5. Pure.
 */

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';

/** A month's name, in any case, as a pattern of both JavaScript and the engine. */
export const MONTH_NAME = `(${months.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)})`;

const offset = '(Z|[+-][0-9]{2}:?([0-9]{2})?)?';

/** Alternatives, each with patterns of both JavaScript and the engine that all have to match. */
const clearSpellings: readonly (readonly string[])[] = [
  // Seconds since 1970.
  ['^[0-9]{9,10}([.][0-9]+)?$'],
  // `20240305T100000Z`
  [`^[0-9]{8}([T ]?[0-9]{6}([.][0-9]+)?|[T ][0-9]{1,2}(:.*)?)?${offset}$`],
  ['^[0-9]{4}[-/.][0-9]'],
  // A month's name and a year, which no offset is taken for.
  [MONTH_NAME, '(^|[^0-9+:.])(1[5-9]|2[0-9])[0-9]{2}([^0-9:]|$)'],
];
const asPatterns = clearSpellings.map((all) => all.map((pattern) => new RegExp(pattern)));

export function isClearTime(text: string): boolean {
  return asPatterns.some((all) => all.every((pattern) => pattern.test(text)));
}

/** The same as an expression. @param text an expression of a string. */
export function clearTimeSql(text: string): string {
  const one = (all: readonly string[]) => all.map((pattern) => `match(${text}, '${pattern}')`);
  return `(${clearSpellings.map((all) => `(${one(all).join(' AND ')})`).join(' OR ')})`;
}
