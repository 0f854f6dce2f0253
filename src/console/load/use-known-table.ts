import { useApi } from '../api/use-api.ts';
import { TableHeadDocument } from '../generated/graphql.ts';
import { useSettled } from '../ui/use-settled.ts';

export interface KnownTable {
  /** Null while it is being looked up, and when that failed. */
  readonly exists: boolean | null;
  readonly rows: number | null;
  readonly isLooking: boolean;
}

/** Whether a table with the typed name exists. */
export function useKnownTable(projectId: string, typed: string): KnownTable {
  const name = useSettled(typed, 250);
  const { data, error, isFetching } = useApi(
    TableHeadDocument,
    { projectId, name },
    { enabled: name !== '' },
  );
  if (typed === '') return { exists: null, rows: null, isLooking: true };
  if (name !== typed || isFetching) return { exists: null, rows: null, isLooking: true };
  if (error !== null)
    return { exists: error.code === 'not_found' ? false : null, rows: null, isLooking: false };
  return { exists: true, rows: data?.table?.rows ?? null, isLooking: false };
}
