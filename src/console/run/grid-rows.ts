/**
 * The visible rows of a grid, as reused elements: a row that scrolls out becomes one that scrolls in by changing its
 * texts. Bypasses React, whose work per cell would take most of a scrolling frame.
 */
import { formatCount } from '../ui/format.ts';
import { shownText } from './cell-values.ts';
import { isNumeric } from './clickhouse-types.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';
import type { TextWidths } from './text-width.ts';

/** Pixels, matching grid.css. */
export const rowHeight = 32;

export type Place = readonly [row: number, column: number];

export interface GridContent {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
  /** Row indexes in display order; null for the original order. */
  readonly order: Uint32Array | null;
}

export interface GridLook {
  readonly texts: TextWidths;
  /** Column widths in pixels. */
  readonly widths: readonly number[];
}

export interface GridRows {
  /**
   * Renders the rows at this scroll position.
   *
   * @returns whether all rows are rendered: while fast scrolling passes the rendered rows, only visible ones are
   * filled, and the surrounding ones at the next draw.
   */
  draw(scrollTop: number, height: number): boolean;
  /** Redraws for other column widths. */
  fit(widths: readonly number[]): void;
  choose(place: Place): void;
  /** The cell of an element; null when it is not in a cell. */
  placeOf(element: Element): Place | null;
  clear(): void;
}

interface DrawnCell {
  readonly element: HTMLElement;
  readonly text: Text;
  className: string;
}

interface DrawnRow {
  readonly element: HTMLElement;
  readonly number: Text;
  readonly cells: readonly DrawnCell[];
  index: number;
}

/** Extra rows above and below the visible ones. */
const spare = 8;
/** Horizontal padding of a cell, both sides together. */
const padding = 24;

export function openGridRows(
  place: HTMLElement,
  { columns, rows, order }: GridContent,
  { look, chosen }: { readonly look: GridLook; readonly chosen: Place },
): GridRows {
  /** Sorted; the elements have the same order. */
  let drawn: DrawnRow[] = [];
  /** Index of the row in the first element. */
  let firstDrawn = -1;
  let active = chosen;
  let { widths } = look;
  const usual = columns.map(({ type }) => (isNumeric(type) ? 'cell number' : 'cell'));

  const fill = (row: DrawnRow, index: number) => {
    mark(row, false);
    const at = order === null ? index : (order[index] ?? 0);
    const values = rows[at] ?? [];
    row.index = index;
    row.element.style.transform = `translateY(${index * rowHeight}px)`;
    row.element.setAttribute('aria-rowindex', String(index + 2));
    row.number.data = formatCount(at + 1);
    row.cells.forEach((cell, column) => {
      const value = values[column];
      const text = shownText(value, columns[column]?.type);
      cell.text.data = text;
      const isWhole = look.texts.fits(text, (widths[column] ?? 0) - padding);
      const className = classOf(usual[column] ?? 'cell', { value, text, isWhole });
      if (className === cell.className) return;
      cell.className = className;
      cell.element.className = className;
    });
    mark(row, true);
  };
  /** Only the selected cell has an id, because nothing else is ever looked up. */
  const mark = ({ index, cells }: DrawnRow, isOn: boolean) => {
    const element = index === active[0] ? cells[active[1]]?.element : undefined;
    if (element === undefined) return;
    element.toggleAttribute('data-active', isOn);
    if (isOn) element.id = `cell-${active[0]}-${active[1]}`;
    else element.removeAttribute('id');
  };
  const resize = (count: number) => {
    while (drawn.length > count) drawn.pop()?.element.remove();
    const made = Array.from({ length: count - drawn.length }, () => makeRow(usual));
    drawn.push(...made);
    place.append(...made.map(({ element }) => element));
  };
  /** Moves rows that leave at one end to the other; after a jump all stay and get new texts. */
  const turn = (by: number) => {
    if (by === 0 || Math.abs(by) >= drawn.length) return;
    const moved = by > 0 ? drawn.splice(0, by) : drawn.splice(by);
    const elements = moved.map(({ element }) => element);
    drawn = by > 0 ? [...drawn, ...moved] : [...moved, ...drawn];
    if (by > 0) place.append(...elements);
    else place.prepend(...elements);
  };
  return {
    draw(scrollTop, height) {
      const inSight = Math.ceil(height / rowHeight) + 1;
      const count = Math.min(rows.length, inSight - 1 + 2 * spare);
      const top = Math.floor(scrollTop / rowHeight);
      const first = Math.max(0, Math.min(top - spare, rows.length - count));
      resize(count);
      const isFar = firstDrawn !== -1 && Math.abs(first - firstDrawn) >= count;
      if (firstDrawn !== -1) turn(first - firstDrawn);
      firstDrawn = first;
      let isWhole = true;
      drawn.forEach((row, at) => {
        const index = first + at;
        if (row.index === index) return;
        if (isFar && (index < top || index > top + inSight)) isWhole = false;
        else fill(row, index);
      });
      return isWhole;
    },
    fit(next) {
      widths = next;
      for (const row of drawn) if (row.index !== -1) fill(row, row.index);
    },
    choose(next) {
      for (const row of drawn) mark(row, false);
      active = next;
      for (const row of drawn) mark(row, true);
    },
    placeOf(element) {
      const cell = element.closest('[role="gridcell"]');
      const row = drawn.find(({ cells }) => cells.some((one) => one.element === cell));
      if (row === undefined) return null;
      return [row.index, row.cells.findIndex((one) => one.element === cell)];
    },
    clear() {
      drawn = [];
      firstDrawn = -1;
      place.replaceChildren();
    },
  };
}

/** Right-to-left letters, and marks that change the direction of following text. */
const otherDirection =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802\ud803\ud83a\ud83b]/;

interface CellLook {
  readonly value: unknown;
  readonly text: string;
  readonly isWhole: boolean;
}

/**
 * Only texts that need it are isolated in direction, or truncated at the column's edge: either takes the browser as
 * long as everything else.
 */
function classOf(usual: string, { value, text, isWhole }: CellLook): string {
  if (value === null) return 'cell nothing';
  if (isWhole) return usual;
  return otherDirection.test(text) ? `${usual} cut own-direction` : `${usual} cut`;
}

function makeRow(classes: readonly string[]): DrawnRow {
  const element = make('div', 'grid-row', 'row');
  const header = make('span', 'grid-number', 'rowheader');
  const number = textIn(header);
  header.style.width = 'var(--width-0)';
  const cells = classes.map((className, at) => {
    const cell = make('span', className, 'gridcell');
    cell.style.width = `var(--width-${at + 1})`;
    return { element: cell, text: textIn(cell), className };
  });
  element.append(header, ...cells.map((cell) => cell.element));
  return { element, number, cells, index: -1 };
}

function make(tag: string, className: string, role: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.setAttribute('role', role);
  return element;
}

function textIn(element: HTMLElement): Text {
  const text = document.createTextNode('');
  element.append(text);
  return text;
}
