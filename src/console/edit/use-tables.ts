import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { request } from '../api/client.ts';
import { useApi } from '../api/use-api.ts';
import { TablesDocument } from '../generated/graphql.ts';
import type { KnownNames, SqlTable } from './completions.ts';

/** In a project with more tables, the others are found by typing. */
const mostRead = 500;
const mostFound = 50;

/** The tables that an editor completes. @param named tables that the query reads, by the service's analysis. */
export function useTables(
  projectId: string,
  named: readonly string[],
): Pick<KnownNames, 'tables' | 'find'> {
  const queryClient = useQueryClient();
  const { data } = useApi(TablesDocument, {
    projectId,
    first: mostRead,
    offset: 0,
    search: null,
  });
  const found = useRef(new Map<string, SqlTable>());
  const tables = data?.tables?.results ?? [];
  const isWhole = data === undefined || (data.tables?.totalCount ?? 0) <= tables.length;
  const latest = useRef(tables);
  latest.current = tables;
  const find = useCallback(
    async (search: string) => {
      const variables = { projectId, first: mostFound, offset: 0, search };
      const response = await queryClient.fetchQuery({
        queryKey: ['tables found', variables],
        queryFn: ({ signal }) => request(TablesDocument, variables, { signal }),
        staleTime: 60_000,
      });
      for (const table of response.tables?.results ?? []) found.current.set(table.name, table);
    },
    [projectId, queryClient],
  );
  const names = named.join('\n');
  useEffect(() => {
    if (isWhole || names === '') return;
    const isKnown = (name: string) =>
      found.current.has(name) || latest.current.some((table) => table.name === name);
    // If this fails, only the completion of their columns is missing.
    for (const name of names.split('\n')) if (!isKnown(name)) find(name).catch(() => undefined);
  }, [isWhole, names, find]);
  return {
    tables: () => [
      ...latest.current,
      ...[...found.current.values()].filter(
        ({ name }) => !latest.current.some((table) => table.name === name),
      ),
    ],
    find: isWhole ? null : find,
  };
}
