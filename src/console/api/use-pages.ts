import { useInfiniteQuery } from '@tanstack/react-query';
import type { TypedDocumentString } from '../generated/graphql.ts';
import { type ApiError, request } from './client.ts';
import { nameOf } from './use-api.ts';

interface Connection<Node> {
  readonly totalCount: number;
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
  readonly edges: readonly { readonly node: Node }[];
}

export interface Pages<Node> {
  /** Rows of the pages read so far; undefined before the first one has arrived. */
  readonly rows: readonly Node[] | undefined;
  /** The total number of rows. */
  readonly total: number;
  readonly hasMore: boolean;
  readonly isReading: boolean;
  /** Reads the next page; does nothing while one is being read. */
  readonly readMore: () => void;
  readonly error: ApiError | null;
}

type PageVariables = { readonly first: number; readonly after?: string | null };

/** A connection of any length, read page by page. */
export function usePages<Result, Variables extends PageVariables, Node>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  find: (result: Result) => Connection<Node> | null,
): Pages<Node> {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery<
    Connection<Node> | null,
    ApiError,
    { readonly pages: readonly (Connection<Node> | null)[] },
    readonly unknown[],
    string | null
  >({
    queryKey: [nameOf(document), variables],
    queryFn: async ({ pageParam, signal }) =>
      find(await request(document, { ...variables, after: pageParam }, { signal })),
    initialPageParam: null,
    getNextPageParam: (page) => (page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null),
  });
  return {
    rows: data?.pages.flatMap((page) => page?.edges.map(({ node }) => node) ?? []),
    total: data?.pages.at(-1)?.totalCount ?? 0,
    hasMore: hasNextPage,
    isReading: isFetching,
    readMore: () => {
      if (!isFetching) void fetchNextPage();
    },
    error,
  };
}
