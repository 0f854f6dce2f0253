import type { Header, ReactTable } from '@tanstack/react-table';
import { Icon } from '../ui/icons.tsx';
import { isNumeric } from './clickhouse-types.ts';
import type { gridFeatures, ResultColumn, ResultRow } from './grid-model.ts';

type Features = typeof gridFeatures;

interface GridHeadProps {
  readonly table: ReactTable<Features, ResultRow>;
  readonly columns: readonly ResultColumn[];
}

const sortWords = { asc: 'ascending', desc: 'descending' } as const;

/** Names and types; a press sorts, the edge resizes. */
export function GridHead({ table, columns }: GridHeadProps) {
  return (
    <div role="rowgroup" className="grid-head">
      <div role="row" className="grid-row" aria-rowindex={1}>
        <span role="columnheader" className="grid-number">
          <span className="visually-hidden">Row</span>
        </span>
        {table.getFlatHeaders().map((header, at) => {
          const column = columns[at];
          return column === undefined ? null : (
            <ColumnHead key={header.id} header={header} column={column} />
          );
        })}
      </div>
    </div>
  );
}

interface ColumnHeadProps {
  readonly header: Header<Features, ResultRow, unknown>;
  readonly column: ResultColumn;
}

function ColumnHead({ header, column: { name, type } }: ColumnHeadProps) {
  const sorted = header.column.getIsSorted();
  const resize = header.getResizeHandler();
  return (
    <div
      role="columnheader"
      className={isNumeric(type) ? 'column-head number' : 'column-head'}
      aria-sort={sorted === false ? 'none' : sortWords[sorted]}
    >
      <button
        type="button"
        title={`${name}: ${type}. Sorts the rows that are shown.`}
        onClick={header.column.getToggleSortingHandler()}
      >
        <span className="column-name">
          <bdi>{name}</bdi>
          {sorted !== false && <Icon name={sorted === 'asc' ? 'up' : 'down'} />}
        </span>
        <span className="column-type">
          <bdi>{type}</bdi>
        </span>
      </button>
      <span
        className="column-edge"
        aria-hidden="true"
        onMouseDown={resize}
        onTouchStart={resize}
        onDoubleClick={() => header.column.resetSize()}
      />
    </div>
  );
}
