/** Positions in a text as lines and columns from 1. Pure. */

/** ` at line 1, column 8` of a character. */
export function positionOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** Matches the output of `positionOf`. */
export const POSITION = / at line (\d+), column (\d+)/g;

/** The character offset of a line and column. */
export function offsetAt(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}
