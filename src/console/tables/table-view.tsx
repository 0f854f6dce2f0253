import { useMemo } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { TableRowsDocument } from '../generated/graphql.ts';
import { LoadLink, QueryLink } from '../load/load-link.tsx';
import type { ResultColumn, ResultRow } from '../run/grid-model.ts';
import { ResultGrid } from '../run/result-grid.tsx';
import { useProject, viewPath } from '../shell/use-project.ts';
import { formatBytes, plural } from '../ui/format.ts';
import { Empty, ErrorNote, Fact, Facts, Loading, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { TableReaders } from './table-readers.tsx';

/** One table: its columns, and its first rows. */
export function TableView() {
  const project = useProject();
  const name = useParams().table ?? '';
  const { load, write } = useMay();
  useTitle(name);
  const [params, setParams] = useSearchParams();
  const orderBy = params.getAll('order');
  const variables = { projectId: project, name, ...(orderBy.length === 0 ? {} : { orderBy }) };
  const { data, error } = useApi(TableRowsDocument, variables, { keep: true });
  const sortBy = (keys: readonly string[]) =>
    setParams(new URLSearchParams(keys.map((key) => ['order', key])));
  const table = data?.table;
  const rows = useMemo(() => {
    const first = table?.firstRows;
    if (first === undefined || first === null) return null;
    const columns = first.types.map(
      ([column = '', type = '']): ResultColumn => ({ name: column, type }),
    );
    return { columns, rows: first.results as readonly ResultRow[] };
  }, [table]);
  if (error !== null)
    return error.code === 'not_found' ? (
      <Empty title="There is no such table" />
    ) : (
      <ErrorNote error={error} />
    );
  if (table === undefined || table === null) return <Loading lines={8} />;
  return (
    <div className="view">
      <PageHead
        above={
          <p className="crumbs small">
            <Link to={viewPath(project, 'tables')}>Tables</Link>
          </p>
        }
        title={<bdi>{name}</bdi>}
        about={table.comment === '' ? undefined : <bdi>{table.comment}</bdi>}
        actions={
          <>
            {load && <LoadLink table={name} />}
            {write && <QueryLink table={name} />}
          </>
        }
      />
      <Facts>
        {table.rows !== null && <Fact name="Rows">{plural(table.rows, 'row')}</Fact>}
        {table.bytes !== null && <Fact name="On disk">{formatBytes(table.bytes)}</Fact>}
        <Fact name="Columns">{table.columns.length}</Fact>
      </Facts>
      <section className="stack" aria-label="Columns">
        <h2>Columns</h2>
        <div className="panel table-scroll" role="region" aria-label="Columns" tabIndex={0}>
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">Meaning</th>
              </tr>
            </thead>
            <tbody>
              {table.columns.map(({ name: column, type, comment }) => (
                <tr key={column}>
                  <td>
                    <bdi>{column}</bdi>
                  </td>
                  <td>
                    <code>
                      <bdi>{type}</bdi>
                    </code>
                  </td>
                  <td className="muted">
                    <bdi>{comment}</bdi>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <TableReaders table={name} />
      {rows !== null && (
        <section className="stack" aria-label="First rows">
          <h2>First rows</h2>
          <div className="panel result-panel">
            <ResultGrid
              columns={rows.columns}
              rows={rows.rows}
              label="First rows"
              order={{ orderBy, onChange: sortBy }}
              hasMore={table.rows === null || table.rows > rows.rows.length}
            />
          </div>
        </section>
      )}
    </div>
  );
}
