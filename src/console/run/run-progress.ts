import { useApi } from '../api/use-api.ts';
import {
  type ReadSoFarFragment,
  RequestProgressDocument,
  RunProgressDocument,
} from '../generated/graphql.ts';
import { formatBytes, plural } from '../ui/format.ts';
import { useLasting } from '../ui/use-lasting.ts';

export type RunProgress = ReadSoFarFragment;

/** What the engine has read for a run, by the run's client query id. Null unless the run lasts. */
export function useRunProgress(
  projectId: string,
  id: string,
  isRunning: boolean,
): RunProgress | null {
  const isLong = useLasting(isRunning);
  const status = useApi(
    RunProgressDocument,
    { projectId, id },
    { enabled: isLong, everyMs: isLong ? 700 : undefined },
  );
  return isLong ? (status.data?.queryStatus?.queryProgress ?? null) : null;
}

/**
 * What the engine is reading for a request that runs any number of queries, by the request's id. Null unless the request
 * lasts, and between its queries.
 */
export function useRequestProgress(
  projectId: string,
  requestId: string,
  isRunning: boolean,
): RunProgress | null {
  const isLong = useLasting(isRunning);
  const progress = useApi(
    RequestProgressDocument,
    { projectId, requestId },
    { enabled: isLong, everyMs: isLong ? 700 : undefined },
  );
  return isLong ? (progress.data?.requestProgress ?? null) : null;
}

/** Rows read, out of those that the engine expects to read if that is known, and bytes. */
export function readSoFar({ rowsRead, estimatedRowsTotal, bytesRead }: RunProgress): string {
  const total = estimatedRowsTotal > 0 ? ` of about ${plural(estimatedRowsTotal, 'row')}` : '';
  return `Read ${plural(rowsRead, 'row')}${total}, ${formatBytes(bytesRead)}`;
}

/** Identifies a run while it is running; it is not secret. */
export function newRunId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return `console-${btoa(String.fromCharCode(...bytes)).replace(/\W/g, '0')}`;
}
