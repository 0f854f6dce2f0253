/** What an event `changes` says, applied as docs/live.md says that a client does it. */
export interface Changes {
  readonly came: readonly { readonly at: number; readonly row: unknown[] }[];
  readonly went: readonly unknown[][];
  readonly changed: readonly unknown[][];
}

/** @param rows with a key of one column, the first. */
export function applyChanges(
  rows: readonly unknown[][],
  { came, went, changed }: Changes,
): unknown[][] {
  const keyOf = (row: readonly unknown[]) => JSON.stringify(row.slice(0, 1));
  const gone = new Set(went.map((key) => JSON.stringify(key)));
  const news = new Map(changed.map((row) => [keyOf(row), row]));
  const next = rows
    .filter((row) => !gone.has(keyOf(row)))
    .map((row) => news.get(keyOf(row)) ?? row);
  for (const { at, row } of came) next.splice(at, 0, row);
  return next;
}
