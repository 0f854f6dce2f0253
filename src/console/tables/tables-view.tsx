import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { TablesDocument } from '../generated/graphql.ts';
import { LoadLink } from '../load/load-link.tsx';
import { useProject, viewPath } from '../shell/use-project.ts';
import { formatBytes, formatCount, plural } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Button, Empty, ErrorNote, Loading, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';

const pageRows = 100;

/** What the project's queries can read. */
export function TablesView() {
  useTitle('Tables');
  const project = useProject();
  const { load } = useMay();
  const [params, setParams] = useSearchParams();
  const [shown, setShown] = useState(pageRows);
  const search = params.get('q') ?? '';
  const { data, error } = useApi(
    TablesDocument,
    { projectId: project, first: shown, offset: 0, search: search === '' ? null : search },
    { keep: true },
  );
  const tables = data?.tables;
  return (
    <div className="view">
      <PageHead
        title="Tables"
        about={<p>The tables that queries in this project can read.</p>}
        actions={load && <LoadLink />}
      />
      <search className="filters">
        <label className="search-field">
          <Icon name="search" />
          <span className="visually-hidden">Search by name or comment</span>
          <input
            type="search"
            placeholder="Search by name or comment"
            value={search}
            onChange={({ target }) =>
              setParams(target.value === '' ? {} : { q: target.value }, { replace: true })
            }
          />
        </label>
      </search>
      {error !== null && <ErrorNote error={error} />}
      {(tables === undefined || tables === null) && error === null && <Loading lines={6} />}
      {tables?.totalCount === 0 && (
        <Empty title={search === '' ? 'No tables yet' : 'No table matches'}>
          {search === '' && (
            <p>
              {load
                ? 'Load a file to query its rows.'
                : 'To load one, use a key with the scope data:write.'}
            </p>
          )}
        </Empty>
      )}
      {tables !== undefined && tables !== null && tables.totalCount > 0 && (
        <div className="panel table-scroll" role="region" aria-label="Tables" tabIndex={0}>
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" className="number">
                  Rows
                </th>
                <th scope="col" className="number">
                  On disk
                </th>
                <th scope="col" className="number">
                  Columns
                </th>
              </tr>
            </thead>
            <tbody>
              {tables.results.map(({ name, comment, rows, bytes, columns }) => (
                <tr key={name}>
                  <td>
                    <Link className="strong-link" to={viewPath(project, 'tables', name)}>
                      <bdi>{name}</bdi>
                    </Link>
                    {comment !== '' && (
                      <p className="muted small">
                        <bdi>{comment}</bdi>
                      </p>
                    )}
                  </td>
                  <td className="number">{rows === null ? '–' : formatCount(rows)}</td>
                  <td className="number">{bytes === null ? '–' : formatBytes(bytes)}</td>
                  <td className="number">{columns.length}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {tables.totalCount > tables.results.length && (
            <p className="more">
              <Button onClick={() => setShown(shown + pageRows)}>
                More of {plural(tables.totalCount, 'table')}
              </Button>
            </p>
          )}
        </div>
      )}
    </div>
  );
}
