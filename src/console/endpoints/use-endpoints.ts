import { useQueries } from '@tanstack/react-query';
import { type ApiError, request } from '../api/client.ts';
import {
  type EndpointFilter,
  EndpointsDocument,
  type EndpointsQuery,
} from '../generated/graphql.ts';

export type EndpointRow = NonNullable<EndpointsQuery['endpoints']>['edges'][number]['node'];

export interface EndpointPages {
  /** Null until the first page has arrived. */
  readonly total: number | null;
  /** Undefined while its page is loading. */
  rowAt(index: number): EndpointRow | undefined;
  /** Ids of the endpoints on each visible, loaded page. */
  readonly idsInSight: readonly (readonly string[])[];
  readonly error: ApiError | null;
}

const pageRows = 100;

/** Reads only the visible pages of a list of any length. */
export function useEndpoints(
  projectId: string,
  filter: EndpointFilter,
  [from, to]: readonly [number, number],
): EndpointPages {
  const first = Math.floor(from / pageRows);
  const last = Math.max(first, Math.floor(to / pageRows));
  const inSight = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const wanted = [...new Set([0, ...inSight])];
  const pages = useQueries({
    queries: wanted.map((page) => {
      const variables = { projectId, first: pageRows, offset: page * pageRows, filter };
      return {
        queryKey: ['Endpoints', variables],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
          request(EndpointsDocument, variables, { signal }),
      };
    }),
  });
  const byPage = new Map(wanted.map((page, at) => [page, pages[at]?.data?.endpoints]));
  return {
    total: byPage.get(0)?.totalCount ?? null,
    rowAt: (index) => byPage.get(Math.floor(index / pageRows))?.edges[index % pageRows]?.node,
    idsInSight: inSight.flatMap((page) => {
      const edges = byPage.get(page)?.edges;
      return edges === undefined ? [] : [edges.map(({ node }) => node.id)];
    }),
    error: (pages.find(({ error }) => error !== null)?.error as ApiError | undefined) ?? null,
  };
}
