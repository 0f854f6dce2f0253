/** Texts that stand for the values of variables while a query tree is looked at, so that their places in it are found. Pure. */

const MARK = 'querydock variable ';
const MARKED = /querydock variable (\w+)/g;

/** Null for a type whose values are no texts; they keep their own. */
export function markedVariable(name: string, type: string): string | null {
  const bare = type.replace(/\s/g, '');
  if (/^(?:(?:Nullable|LowCardinality)\()*String\)*$/.test(bare)) return `${MARK}${name}`;
  const isList = /^Array\((?:(?:Nullable|LowCardinality)\()*String\)+$/.test(bare);
  return isList ? `['${MARK}${name}']` : null;
}

export function isMarked(text: string): boolean {
  return text.startsWith(MARK);
}

/** The variable that a marked text stands for. */
export function markedName(text: string): string {
  return text.slice(MARK.length);
}

/** The variables of which anything stands in a piece of the dump. */
export function marksIn(dump: string): readonly string[] {
  return [...dump.matchAll(MARKED)].map(([, name = '']) => name);
}
