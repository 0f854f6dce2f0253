/** Placeholder values that let the guard recognize variables in a query tree. Pure. */
import { isTextListType, isTextType } from '../../../../sql/clickhouse-type.ts';

const MARK = 'querydock variable ';
const MARKED = /querydock variable (\w+)/g;

/** Null for a type whose values are not strings; such a variable keeps its own value. */
export function markedVariable(name: string, type: string): string | null {
  if (isTextType(type)) return `${MARK}${name}`;
  return isTextListType(type) ? `['${MARK}${name}']` : null;
}

export function isMarked(text: string): boolean {
  return text.startsWith(MARK);
}

/** The name of the variable that a marked text represents. */
export function markedName(text: string): string {
  return text.slice(MARK.length);
}

/** The names of the variables whose marks occur in a piece of the dump. */
export function marksIn(dump: string): readonly string[] {
  return [...dump.matchAll(MARKED)].map(([, name = '']) => name);
}
