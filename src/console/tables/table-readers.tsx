import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { type ApiError, request } from '../api/client.ts';
import { TableReadersDocument, type TableReadersQuery } from '../generated/graphql.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { Badge, Button, ErrorNote, Loading } from '../ui/parts.tsx';

type Page = NonNullable<TableReadersQuery['table']>['readers'];

/** The saved versions that read a table, with the columns that they read. */
export function TableReaders({ table }: { table: string }) {
  const project = useProject();
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useReaders(project, table);
  const readers = data?.pages.flatMap(({ results }) => results) ?? [];
  return (
    <section className="stack" aria-label="Read by">
      <h2>Read by</h2>
      {error !== null && <ErrorNote error={error} />}
      {data === undefined && error === null && <Loading lines={2} />}
      {data !== undefined && readers.length === 0 && !hasNextPage && (
        <p className="muted">No endpoint reads this table.</p>
      )}
      {readers.length > 0 && (
        <ul className="readers panel">
          {readers.map(({ name, version, isCurrent, columns }) => (
            <li key={`${name} ${version}`}>
              <Link
                className="strong-link"
                to={`${viewPath(project, 'endpoints', name)}${isCurrent ? '' : `?version=${version}`}`}
              >
                {name}
              </Link>
              <span className="muted small">version {version}</span>
              {isCurrent && <Badge>Current</Badge>}
              <span className="muted small readers-columns">
                <bdi>{columns.length === 0 ? 'counts its rows' : columns.join(', ')}</bdi>
              </span>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <p>
          <Button busy={isFetching} onClick={() => void fetchNextPage()}>
            Look for more
          </Button>
        </p>
      )}
    </section>
  );
}

function useReaders(projectId: string, name: string) {
  return useInfiniteQuery<Page, ApiError, { pages: Page[] }, readonly unknown[], number>({
    queryKey: ['TableReaders', projectId, name],
    queryFn: async ({ pageParam, signal }) => {
      const variables = { projectId, name, offset: pageParam };
      const { table } = await request(TableReadersDocument, variables, { signal });
      return table?.readers ?? { results: [], nextOffset: null };
    },
    initialPageParam: 0,
    getNextPageParam: ({ nextOffset }) => nextOffset,
  });
}
