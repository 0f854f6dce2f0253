import type { Header } from '@tanstack/react-table';
import type { KeyboardEvent } from 'react';
import { columnWidths, type gridFeatures, type ResultRow } from './grid-model.ts';

interface ColumnEdgeProps {
  readonly header: Header<typeof gridFeatures, ResultRow, unknown>;
  /** Position of the column. */
  readonly at: number;
  readonly name: string;
  /** In pixels. */
  readonly onResize: (width: number) => void;
}

const step = 10;
const longStep = 50;

/** Sets the column's width: by dragging, by the arrow keys, or to its content by a double click or Enter. */
export function ColumnEdge({ header, at, name, onResize }: ColumnEdgeProps) {
  const drag = header.getResizeHandler();
  const width = header.getSize();
  const resize = (wanted: number) =>
    onResize(Math.max(columnWidths.least, Math.min(wanted, columnWidths.most)));
  const fitContent = (edge: HTMLElement) => resize(contentWidth(edge, at));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Enter') fitContent(event.currentTarget);
    else if (direction !== undefined)
      resize(width + direction * (event.shiftKey ? longStep : step));
    else return;
    event.preventDefault();
  };
  return (
    <div
      className="column-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${name}`}
      aria-valuenow={width}
      aria-valuemin={columnWidths.least}
      aria-valuemax={columnWidths.most}
      title="Drag to resize, double-click to fit the content"
      onKeyDown={onKeyDown}
      onMouseDown={(event) => {
        // Prevents selecting text, which a later Ctrl-C would copy.
        event.preventDefault();
        drag(event);
      }}
      onTouchStart={drag}
      onDoubleClick={({ currentTarget }) => fitContent(currentTarget)}
    />
  );
}

/** Horizontal padding of a cell, and a little more, because letters side by side are narrower than each alone. */
const padding = 26;

/** As wide as the widest of the name, the type and the rendered values. */
function contentWidth(edge: HTMLElement, at: number): number {
  const grid = edge.closest('.grid-scroll');
  const cells = grid?.querySelectorAll(`.grid-rows .cell:nth-child(${at + 2})`) ?? [];
  const head = edge.parentElement?.querySelectorAll('button > span') ?? [];
  const range = document.createRange();
  const widths = [...head, ...cells].map((element) => {
    range.selectNodeContents(element);
    return range.getBoundingClientRect().width;
  });
  return Math.ceil(Math.max(0, ...widths) * 1.01) + padding;
}
