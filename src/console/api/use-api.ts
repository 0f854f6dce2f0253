import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import type { TypedDocumentString } from '../generated/graphql.ts';
import { type ApiError, request } from './client.ts';

export interface ApiQueryOptions {
  readonly enabled?: boolean;
  /** Polling interval in milliseconds; absent for none. */
  readonly everyMs?: number | undefined;
  /** Whether the previous data stays visible until the new response arrives. */
  readonly keep?: boolean;
  /** Identifies the request while it is in progress. */
  readonly requestId?: string;
  /** Whether the data stays as it is until it is asked for again: for what costs the engine much. */
  readonly once?: boolean;
}

/** Reads a document; cached data is shown at once and refreshed in the background. */
export function useApi<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  { enabled = true, everyMs, keep = false, requestId, once = false }: ApiQueryOptions = {},
): UseQueryResult<Result, ApiError> {
  return useQuery<Result, ApiError>({
    queryKey: [nameOf(document), variables],
    queryFn: ({ signal }) => request(document, variables, { signal, requestId }),
    enabled,
    refetchInterval: everyMs ?? false,
    ...(once ? { staleTime: Number.POSITIVE_INFINITY } : {}),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/** Runs a mutation with the variables passed to `mutate`. */
export function useWrite<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  onDone?: (result: Result) => void,
): UseMutationResult<Result, ApiError, Variables> {
  return useMutation<Result, ApiError, Variables>({
    mutationFn: (variables) => request(document, variables),
    ...(onDone === undefined ? {} : { onSuccess: onDone }),
  });
}

/** The cache key of a document: the name of its operation. */
export function nameOf(document: TypedDocumentString<unknown, never>): string {
  return /(?:query|mutation) (\w+)/.exec(document.toString())?.[1] ?? '';
}
