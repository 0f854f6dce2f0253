import { type ColumnDef, useTable } from '@tanstack/react-table';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { formatCount } from '../ui/format.ts';
import { cellText, shownText } from './cell-values.ts';
import { elementType, isNumeric } from './clickhouse-types.ts';
import { GridHead } from './grid-head.tsx';
import { columnWidths, gridFeatures, type ResultColumn, type ResultRow } from './grid-model.ts';
import {
  type GridContent,
  type GridRows,
  openGridRows,
  type Place,
  rowHeight,
} from './grid-rows.ts';
import { openTextWidths } from './text-width.ts';
import { useGridKeys } from './use-grid-keys.ts';
import { type ServiceOrder, useSort } from './use-sort.ts';

interface ResultGridProps {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
  readonly label: string;
  /** Whether there are further rows; null when unknown. */
  readonly hasMore: boolean | null;
  /** How the engine has sorted all rows, and how to request another order; absent when that is impossible. */
  readonly order?: ServiceOrder | undefined;
}

/** The library only manages the columns: a record for each of many rows would be wasted. */
const noRows: ResultRow[] = [];

/**
 * A result grid that renders only the visible rows. Arrow keys move between cells; Ctrl-C copies one.
 */
export function ResultGrid({ columns, rows, label, hasMore, order: requested }: ResultGridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const definitions = useMemo(() => toDefinitions(columns, rows), [columns, rows]);
  const table = useTable({
    features: gridFeatures,
    columns: definitions,
    data: noRows,
    columnResizeMode: 'onChange',
  });
  const headers = table.getFlatHeaders();
  const sort = useSort({ columns, rows, hasMore, requested });
  const { order } = sort;
  const content = useMemo(() => ({ columns, rows, order }), [columns, rows, order]);
  const [active, setActive] = useState<Place>([0, 0]);
  const sizes = headers.map((header) => header.getSize());
  const drawn = useRows({ scroller, place, content, active, sizes });
  const onKeyDown = useGridKeys({
    active,
    setActive,
    size: [rows.length, columns.length],
    reveal: (row) => reveal(scroller.current, row),
    textAt: ([row, column]) => cellText(rows[order?.[row] ?? row]?.[column], columns[column]?.type),
  });
  const widths = [24 + 8 * formatCount(rows.length).length, ...sizes];
  const style = {
    '--tracks': widths.map((width) => `${width}px`).join(' '),
    ...Object.fromEntries(widths.map((width, at) => [`--width-${at}`, `${width}px`])),
    '--rows': `${rows.length * rowHeight}px`,
    '--width': `${widths.reduce((sum, width) => sum + width, 0)}px`,
  } as React.CSSProperties;
  return (
    <>
      <SortNote words={sort.words} />
      <div
        ref={scroller}
        className="grid-scroll"
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={`cell-${active[0]}-${active[1]}`}
        style={style}
        onKeyDown={onKeyDown}
      >
        <GridHead
          table={table}
          columns={columns}
          keys={sort.keys}
          isByEngine={sort.isByEngine}
          onSort={sort.press}
        />
        <div
          ref={place}
          role="rowgroup"
          className="grid-rows"
          style={{ height: 'var(--rows)' }}
          onClick={({ target }) => {
            const chosen = target instanceof Element ? drawn.current?.placeOf(target) : null;
            if (chosen !== null && chosen !== undefined) setActive(chosen);
          }}
        />
      </div>
    </>
  );
}

/** Explains which rows are sorted. */
function SortNote({ words }: { words: string }) {
  if (words === '') return null;
  return (
    <p className="sort-note small muted" role="status">
      {words}
    </p>
  );
}

interface ShownRows {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly place: RefObject<HTMLDivElement | null>;
  readonly content: GridContent;
  readonly active: Place;
  /** Column widths in pixels. */
  readonly sizes: readonly number[];
}

/** Idle time after scrolling before the surrounding rows are filled. */
const restMs = 100;

function useRows({ scroller, place, content, active, sizes }: ShownRows) {
  const drawn = useRef<GridRows>(null);
  const latest = useRef({ active, sizes });
  latest.current = { active, sizes };
  useLayoutEffect(() => {
    const [outer, inner] = [scroller.current, place.current];
    if (outer === null || inner === null) return undefined;
    const { active: chosen, sizes: widths } = latest.current;
    const texts = openTextWidths(getComputedStyle(outer).font);
    const rows = openGridRows(inner, content, { look: { texts, widths }, chosen });
    drawn.current = rows;
    let timer = 0;
    const draw = () => {
      clearTimeout(timer);
      if (!rows.draw(outer.scrollTop, outer.clientHeight)) timer = window.setTimeout(draw, restMs);
      // Sticky columns cost time in each frame while scrolling horizontally.
      outer.toggleAttribute('data-sideways', outer.scrollLeft > 0);
    };
    const resized = new ResizeObserver(draw);
    resized.observe(outer);
    outer.addEventListener('scroll', draw, { passive: true });
    draw();
    return () => {
      clearTimeout(timer);
      resized.disconnect();
      outer.removeEventListener('scroll', draw);
      rows.clear();
    };
  }, [scroller, place, content]);
  useEffect(() => drawn.current?.choose(active), [active]);
  const asText = sizes.join();
  useEffect(() => drawn.current?.fit(latest.current.sizes), [asText]);
  return drawn;
}

/** Scrolls just enough to show the row below the sticky header. */
function reveal(scroller: HTMLElement | null, row: number): void {
  if (scroller === null) return;
  const head = scroller.firstElementChild?.clientHeight ?? 0;
  const top = row * rowHeight;
  const bottom = head + top + rowHeight - scroller.clientHeight;
  if (scroller.scrollTop > top) scroller.scrollTop = top;
  else if (scroller.scrollTop < bottom) scroller.scrollTop = bottom;
}

function toDefinitions(
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
): ColumnDef<typeof gridFeatures, ResultRow>[] {
  return columns.map(({ name, type }, at) => ({
    // Names may repeat.
    id: `c${at}`,
    header: name,
    accessorFn: (row) => row[at],
    size: widthOf({ name, type }, rows, at),
    minSize: columnWidths.least,
    maxSize: columnWidths.most,
  }));
}

/** Wide enough for the name and most of the first values. */
function widthOf({ name, type }: ResultColumn, rows: readonly ResultRow[], at: number): number {
  const sample = rows.slice(0, 60).map((row) => shownText(row[at], type).length);
  const characters = Math.max(name.length + 3, Math.min(type.length, 16), ...sample);
  // Digits are wider than most letters, and a truncated number looks like another one.
  const width = isNumeric(elementType(type) ?? type) ? 8.4 : 7.6;
  return Math.round(Math.min(Math.max(characters * width + 26, 84), 340));
}
