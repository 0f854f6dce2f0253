import { useQuery } from '@tanstack/react-query';
import { type ApiError, request } from '../api/client.ts';
import { CheckUnsavedDocument, type CheckUnsavedQuery } from '../generated/graphql.ts';
import { useSettled } from '../ui/use-settled.ts';
import type { Definition } from './definition.ts';
import { type Fault, faultOf } from './fault-place.ts';

export type Check = NonNullable<CheckUnsavedQuery['checkQuery']>;

export interface CheckState {
  /** The check of the newest valid text; null before there was one. */
  readonly check: Check | null;
  readonly fault: Fault | null;
  readonly isChecking: boolean;
}

/** The service's check of a query while it is being written, requested when its author pauses. */
export function useCheck(projectId: string, definition: Definition): CheckState {
  const settled = useSettled(definition, 350);
  const isEmpty = settled.query.trim() === '';
  const { data, error, isFetching } = useQuery<Check | null, ApiError>({
    queryKey: ['check', projectId, settled],
    queryFn: async ({ signal }) => {
      const variables = { projectId, query: settled };
      return (await request(CheckUnsavedDocument, variables, { signal })).checkQuery;
    },
    enabled: !isEmpty,
    placeholderData: (previous) => previous,
    retry: false,
  });
  const isCurrent = settled === definition;
  return {
    check: isEmpty ? null : (data ?? null),
    fault: error === null || isEmpty || !isCurrent ? null : faultOf(settled.query, error.message),
    isChecking: isFetching || !isCurrent,
  };
}
