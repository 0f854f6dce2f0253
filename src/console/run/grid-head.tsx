import type { ReactTable } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import { Icon } from '../ui/icons.tsx';
import { isNumeric } from './clickhouse-types.ts';
import { ColumnEdge } from './column-edge.tsx';
import type { gridFeatures, ResultColumn, ResultRow } from './grid-model.ts';
import type { SortKey } from './grid-order.ts';

type Features = typeof gridFeatures;

interface GridHeadProps {
  readonly table: ReactTable<Features, ResultRow>;
  readonly columns: readonly ResultColumn[];
  readonly keys: readonly SortKey[];
  /** Whether clicking the column sorts at the engine, which has all rows. */
  readonly isByEngine: (column: number) => boolean;
  readonly onSort: (column: number, isAdded: boolean) => void;
}

/** Names and types; a click sorts, the edge resizes. */
export function GridHead({ table, columns, keys, isByEngine, onSort }: GridHeadProps) {
  return (
    <div role="rowgroup" className="grid-head">
      <div role="row" className="grid-row" aria-rowindex={1}>
        <span role="columnheader" className="grid-number">
          <span className="visually-hidden">Row</span>
        </span>
        {table.getFlatHeaders().map((header, at) => {
          const column = columns[at];
          return column === undefined ? null : (
            <ColumnHead
              key={header.id}
              column={column}
              sorted={keys.find((key) => key.column === at)}
              isByEngine={isByEngine(at)}
              onSort={(isAdded) => onSort(at, isAdded)}
            >
              <ColumnEdge
                header={header}
                at={at}
                name={column.name}
                onResize={(width) =>
                  table.setColumnSizing((widths) => ({ ...widths, [header.id]: width }))
                }
              />
            </ColumnHead>
          );
        })}
      </div>
    </div>
  );
}

interface ColumnHeadProps {
  readonly column: ResultColumn;
  readonly sorted: SortKey | undefined;
  readonly isByEngine: boolean;
  readonly onSort: (isAdded: boolean) => void;
  readonly children: ReactNode;
}

function ColumnHead({ column, sorted, isByEngine, onSort, children }: ColumnHeadProps) {
  const { name, type } = column;
  return (
    <div
      role="columnheader"
      className={isNumeric(type) ? 'column-head number' : 'column-head'}
      aria-sort={sorted === undefined ? 'none' : sorted.descending ? 'descending' : 'ascending'}
    >
      <button
        type="button"
        title={`${name}: ${type}. ${isByEngine ? 'Sorts all rows.' : 'Sorts the rows shown.'}`}
        onClick={({ shiftKey }) => onSort(shiftKey)}
      >
        <span className="column-name">
          <bdi>{name}</bdi>
          {sorted !== undefined && <Icon name={sorted.descending ? 'down' : 'up'} />}
        </span>
        <span className="column-type">
          <bdi>{type}</bdi>
        </span>
      </button>
      {children}
    </div>
  );
}
