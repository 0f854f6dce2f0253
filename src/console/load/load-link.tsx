import { Link } from 'react-router';
import { useProject, viewPath } from '../shell/use-project.ts';
import { Icon } from '../ui/icons.tsx';

/** Links to the view for loading a file, into this table if given. */
export function LoadLink({ table }: { table?: string }) {
  const path = viewPath(useProject(), 'load');
  return (
    <Link
      className="button"
      to={table === undefined ? path : `${path}?table=${encodeURIComponent(table)}`}
    >
      <Icon name="upload" />
      {table === undefined ? 'Load a file' : 'Load rows'}
    </Link>
  );
}

/** Links to a new query that reads the table. */
export function QueryLink({ table }: { table: string }) {
  return (
    <Link
      className="button primary"
      to={`${viewPath(useProject(), 'new')}?table=${encodeURIComponent(table)}`}
    >
      <Icon name="plus" />
      Write a query
    </Link>
  );
}
