import { toJsonLine } from './cell-values.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';
import { LinesBy } from './text-lines.tsx';

interface ResultJsonProps {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
}

/** One row per line, like `rows=objects`. */
export function ResultJson({ columns, rows }: ResultJsonProps) {
  const lineAt = (index: number) => {
    if (index === 0) return '[';
    const row = rows[index - 1];
    if (row === undefined) return ']';
    return `  ${toJsonLine(columns, row)}${index === rows.length ? '' : ','}`;
  };
  return <LinesBy label="Rows as JSON" count={rows.length + 2} lineAt={lineAt} />;
}
