import { type ColumnDef, type Row, useTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useMemo, useRef, useState } from 'react';
import { formatCount } from '../ui/format.ts';
import { cellText, compareCells, shownText } from './cell-values.ts';
import { isNumeric, kindOf } from './clickhouse-types.ts';
import { GridHead } from './grid-head.tsx';
import { gridFeatures, type ResultColumn, type ResultRow } from './grid-model.ts';
import { useGridKeys } from './use-grid-keys.ts';

interface ResultGridProps {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
  readonly label: string;
}

const rowHeight = 32;
/** More rows than are ever in sight: those that leave it become those that come. */
const slots = 96;

/** A result of any length, of which only the rows in sight exist. Arrows move between cells; Ctrl-C copies one. */
export function ResultGrid({ columns, rows, label }: ResultGridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const definitions = useMemo(() => toDefinitions(columns, rows), [columns, rows]);
  const table = useTable({
    features: gridFeatures,
    columns: definitions,
    data: rows as ResultRow[],
    columnResizeMode: 'onChange',
    sortDescFirst: false,
  });
  const sorted = table.getRowModel().rows;
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    scrollPaddingStart: 44,
    overscan: 8,
  });
  const [active, setActive] = useState<readonly [number, number]>([0, 0]);
  const onKeyDown = useGridKeys({
    active,
    setActive,
    size: [sorted.length, columns.length],
    reveal: (row) => virtual.scrollToIndex(row),
    textAt: ([row, column]) => cellText(sorted[row]?.original[column]),
  });
  const choose = useCallback((row: number, column: number) => setActive([row, column]), []);
  const widths = table.getFlatHeaders().map((header) => header.getSize());
  const numberWidth = 24 + 8 * formatCount(rows.length).length;
  const tracks = `${numberWidth}px ${widths.map((width) => `${width}px`).join(' ')}`;
  return (
    <div
      ref={scroller}
      className="grid-scroll"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={`cell-${active[0]}-${active[1]}`}
      style={{ '--tracks': tracks } as React.CSSProperties}
      onKeyDown={onKeyDown}
    >
      <GridHead table={table} columns={columns} />
      <div role="rowgroup" className="grid-rows" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = sorted[index];
          if (row === undefined) return null;
          const activeColumn = active[0] === index ? active[1] : -1;
          return (
            <GridRow
              key={index % slots}
              {...{ row, index, start, columns, activeColumn, choose }}
            />
          );
        })}
      </div>
    </div>
  );
}

interface GridRowProps {
  readonly row: Row<typeof gridFeatures, ResultRow>;
  readonly index: number;
  readonly start: number;
  readonly columns: readonly ResultColumn[];
  /** -1 when no cell of this row is chosen. */
  readonly activeColumn: number;
  readonly choose: (row: number, column: number) => void;
}

const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, index, start, columns, activeColumn, choose } = props;
  return (
    <div
      role="row"
      className="grid-row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${start}px)` }}
    >
      <span role="rowheader" className="grid-number">
        {formatCount(row.index + 1)}
      </span>
      {columns.map(({ type }, at) => {
        const value = row.original[at];
        return (
          <span
            key={`c${at + 1}`}
            id={`cell-${index}-${at}`}
            role="gridcell"
            className={cellClass(type, value)}
            data-active={activeColumn === at || undefined}
            onClick={() => choose(index, at)}
          >
            <bdi>{shownText(value)}</bdi>
          </span>
        );
      })}
    </div>
  );
});

function cellClass(type: string, value: unknown): string {
  if (value === null) return 'cell nothing';
  return isNumeric(type) ? 'cell number' : 'cell';
}

function toDefinitions(
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
): ColumnDef<typeof gridFeatures, ResultRow>[] {
  return columns.map(({ name, type }, at) => {
    const kind = kindOf(type);
    return {
      // Names may repeat.
      id: `c${at}`,
      header: name,
      accessorFn: (row) => row[at],
      size: widthOf(name, type, rows, at),
      minSize: 56,
      maxSize: 1200,
      sortFn: (a, b) => compareCells(kind, a.original[at], b.original[at]),
    };
  });
}

/** Wide enough for the name and for most of the first values. */
function widthOf(name: string, type: string, rows: readonly ResultRow[], at: number): number {
  const sample = rows.slice(0, 60).map((row) => shownText(row[at]).length);
  const characters = Math.max(name.length + 3, Math.min(type.length, 16), ...sample);
  return Math.round(Math.min(Math.max(characters * 7.6 + 26, 84), 340));
}
