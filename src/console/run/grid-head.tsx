import type { Header, ReactTable } from '@tanstack/react-table';
import { Icon } from '../ui/icons.tsx';
import { isNumeric } from './clickhouse-types.ts';
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

/** Names and types; a click sorts, dragging the edge resizes. */
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
              header={header}
              column={column}
              sorted={keys.find((key) => key.column === at)}
              isByEngine={isByEngine(at)}
              onSort={(isAdded) => onSort(at, isAdded)}
            />
          );
        })}
      </div>
    </div>
  );
}

interface ColumnHeadProps {
  readonly header: Header<Features, ResultRow, unknown>;
  readonly column: ResultColumn;
  readonly sorted: SortKey | undefined;
  readonly isByEngine: boolean;
  readonly onSort: (isAdded: boolean) => void;
}

function ColumnHead({ header, column, sorted, isByEngine, onSort }: ColumnHeadProps) {
  const { name, type } = column;
  const resize = header.getResizeHandler();
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
      <span
        className="column-edge"
        aria-hidden="true"
        onMouseDown={(event) => {
          // Prevents selecting text, which a later Ctrl-C would copy.
          event.preventDefault();
          resize(event);
        }}
        onTouchStart={resize}
        onDoubleClick={() => header.column.resetSize()}
      />
    </div>
  );
}
