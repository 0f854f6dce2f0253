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
  /** How often it is read again, in milliseconds; absent: not by itself. */
  readonly everyMs?: number | undefined;
  /** Whether what was shown stays until the new answer is there. */
  readonly keep?: boolean;
}

/** Reads a document; what is known is shown at once and read again in the background. */
export function useApi<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  { enabled = true, everyMs, keep = false }: ApiQueryOptions = {},
): UseQueryResult<Result, ApiError> {
  return useQuery<Result, ApiError>({
    queryKey: [nameOf(document), variables],
    queryFn: ({ signal }) => request(document, variables, { signal }),
    enabled,
    refetchInterval: everyMs ?? false,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/** Runs a mutation with the variables that `mutate` is given. */
export function useWrite<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  onDone?: (result: Result) => void,
): UseMutationResult<Result, ApiError, Variables> {
  return useMutation<Result, ApiError, Variables>({
    mutationFn: (variables) => request(document, variables),
    ...(onDone === undefined ? {} : { onSuccess: onDone }),
  });
}

/** What a document is cached under: the name of its operation. */
export function nameOf(document: TypedDocumentString<unknown, never>): string {
  return /(?:query|mutation) (\w+)/.exec(document.toString())?.[1] ?? '';
}
