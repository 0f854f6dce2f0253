import type { KeyboardEvent } from 'react';

type Place = readonly [number, number];

interface GridKeys {
  readonly active: Place;
  readonly setActive: (place: Place) => void;
  /** Rows and columns. */
  readonly size: Place;
  readonly reveal: (row: number) => void;
  readonly textAt: (place: Place) => string;
}

const pageRows = 12;

const moves: Readonly<Record<string, (place: Place, size: Place) => Place>> = {
  ArrowDown: ([row, column]) => [row + 1, column],
  ArrowUp: ([row, column]) => [row - 1, column],
  ArrowRight: ([row, column]) => [row, column + 1],
  ArrowLeft: ([row, column]) => [row, column - 1],
  PageDown: ([row, column]) => [row + pageRows, column],
  PageUp: ([row, column]) => [row - pageRows, column],
  Home: ([row]) => [row, 0],
  End: ([row], [, columns]) => [row, columns - 1],
};

/** Keyboard handling of a virtual grid: the grid keeps the focus itself and references the selected cell. */
export function useGridKeys({ active, setActive, size, reveal, textAt }: GridKeys) {
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget) return;
    const withControl = event.ctrlKey || event.metaKey;
    if (withControl && event.key.toLowerCase() === 'c' && getSelection()?.isCollapsed !== false) {
      void navigator.clipboard?.writeText(textAt(active));
      event.preventDefault();
      return;
    }
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const far = withControl && event.key === 'Home' ? ([0, 0] as const) : null;
    const end = withControl && event.key === 'End' ? ([size[0] - 1, size[1] - 1] as const) : null;
    const next = within(far ?? end ?? move(active, size), size);
    setActive(next);
    reveal(next[0]);
    // The row may only exist after scrolling.
    requestAnimationFrame(() =>
      document
        .getElementById(`cell-${next[0]}-${next[1]}`)
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
  };
}

function within([row, column]: Place, [rows, columns]: Place): Place {
  const clamp = (at: number, count: number) => Math.max(0, Math.min(at, count - 1));
  return [clamp(row, rows), clamp(column, columns)];
}
