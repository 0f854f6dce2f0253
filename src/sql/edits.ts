/** Replaces parts of a text in one pass. Pure. */

/** Replaces the characters from `start` up to but excluding `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** @param edits must not overlap. */
export function applyEdits(sql: string, edits: readonly Edit[]): string {
  let text = '';
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    text += sql.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + sql.slice(at);
}
