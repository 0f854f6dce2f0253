import { Link } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { ColumnList } from '../ui/column-list.tsx';
import { formatSeconds, plural } from '../ui/format.ts';
import { Badge, Button } from '../ui/parts.tsx';
import { QueryLink } from './load-link.tsx';
import type { LoadedRows } from './send-file.ts';

interface LoadResultProps {
  readonly loaded: LoadedRows;
  readonly seconds: number;
  readonly onMore: () => void;
}

/** What was loaded, with the detected types, and possible next steps. */
export function LoadResult({ loaded, seconds, onMore }: LoadResultProps) {
  const { table, rows, columns } = loaded;
  const project = useProject();
  const { read, write } = useMay();
  return (
    <section className="panel padded stack" aria-label="Loaded">
      <p role="status">
        <Badge tone="good">Loaded</Badge> {plural(rows, 'row')} into{' '}
        <strong>
          <bdi>{table}</bdi>
        </strong>{' '}
        in {formatSeconds(seconds)}
      </p>
      <ColumnList columns={columns} />
      <p className="load-buttons">
        {write && <QueryLink table={table} />}
        {read && (
          <Link className="button" to={viewPath(project, 'tables', table)}>
            Look at the table
          </Link>
        )}
        <Button onClick={onMore}>Load another file</Button>
      </p>
    </section>
  );
}
