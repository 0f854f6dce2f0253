/** Times of a text file that say everything about themselves. The engine fills in or moves what is not so. Pure. */
import { clearTimeSql, MONTH_NAME } from '../times/clear-times.ts';

/** Milliseconds, microseconds or nanoseconds since 1970. */
const PARTS_OF_SECONDS = '^[0-9]{13}([0-9]{3}){0,2}$';
const DAY = '(0?[1-9]|[12][0-9]|3[01])';
const SECONDS = '^[0-9]{9,10}([.][0-9]+)?$';
const YEAR_FIRST = `^[0-9]{4}[-/.]?(0?[1-9]|1[0-2])[-/.]?${DAY}([^0-9]|[0-9]{6}([^0-9]|$)|$)`;
const DAY_AND_MONTH = `(^|[^0-9])${DAY}[ -]?${MONTH_NAME}|${MONTH_NAME}[A-Za-z]*[. -]+${DAY}([^0-9:]|$)`;
/** Hours from 24 and minutes or seconds from 60, but for midnight at the end of a day. */
const NO_CLOCK = [
  '(^|[^0-9:+-])(2[5-9]|[3-9][0-9]):',
  '(^|[^0-9:+-])24:[0-9:.]*[1-9]',
  ':[6-9][0-9]',
  '^([0-9]{4}[-/.][0-9]+[-/.][0-9]+|[0-9]{8})[T ](2[4-9]|[3-9][0-9])([^0-9:]|$)',
  '(^[0-9]{8}|[T ])(2[4-9][0-9]{4}|[3-9][0-9]{5}|[0-9]{2}[6-9][0-9]{3}|[0-9]{4}[6-9][0-9])([^0-9]|$)',
].join('|');

/** An expression that is 1 for a time with its year and its day. @param text an expression of a string. */
export function isWholeTime(text: string): string {
  const matches = (pattern: string) => `match(${text}, '${pattern}')`;
  const hasDay = [SECONDS, YEAR_FIRST, DAY_AND_MONTH].map(matches).join(' OR ');
  return `(${matches(PARTS_OF_SECONDS)} OR (${clearTimeSql(text)} AND (${hasDay}) AND NOT ${matches(NO_CLOCK)}))`;
}

/** The year that the text begins with, as text; empty where it begins otherwise. */
export function writtenYear(text: string): string {
  return `extract(ifNull(${text}, ''), '^([0-9]{4})(?:[-/.]|[0-9]{4}(?:[0-9]{6})?(?:[^0-9]|$))')`;
}

/** The digits that the seconds of a time have, without trailing zeros. */
export function fractionOfTime(text: string): string {
  const digits = `if(match(${text}, '${PARTS_OF_SECONDS}'), substring(ifNull(${text}, ''), 11), extract(ifNull(${text}, ''), '[0-9]*[.]([0-9]+)'))`;
  return `length(trimRight(ifNull(${digits}, ''), '0'))`;
}
