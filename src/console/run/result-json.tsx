import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { toJsonLine } from './cell-values.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';

const lineHeight = 22;
/** A longer line is cut: a download has it whole. */
const lineCharacters = 2000;

/** One row a line, as `rows=objects` has them. */
export function ResultJson({
  columns,
  rows,
}: {
  columns: readonly ResultColumn[];
  rows: readonly ResultRow[];
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length + 2,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  const lineAt = (index: number) => {
    if (index === 0) return '[';
    const row = rows[index - 1];
    if (row === undefined) return ']';
    const line = `  ${toJsonLine(columns, row)}${index === rows.length ? '' : ','}`;
    return line.length > lineCharacters ? `${line.slice(0, lineCharacters)}…` : line;
  };
  return (
    <div
      className="json-scroll"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Rows as JSON"
    >
      <pre style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <span key={index} className="json-line" style={{ transform: `translateY(${start}px)` }}>
            <bdi>{lineAt(index)}</bdi>
          </span>
        ))}
      </pre>
    </div>
  );
}
