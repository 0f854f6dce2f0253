import { useApi } from '../api/use-api.ts';
import {
  type ReadSoFarFragment,
  RequestProgressDocument,
  RunProgressDocument,
  type TypedDocumentString,
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
  const status = useWhileLasting(RunProgressDocument, { projectId, id }, isRunning);
  return status?.queryStatus?.queryProgress ?? null;
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
  const progress = useWhileLasting(RequestProgressDocument, { projectId, requestId }, isRunning);
  return progress?.requestProgress ?? null;
}

const everyMs = 700;

/** Reads the document again and again while the work lasts. */
function useWhileLasting<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  isRunning: boolean,
): Result | undefined {
  const isLong = useLasting(isRunning);
  const read = useApi(document, variables, isLong ? { everyMs } : { enabled: false });
  return isLong ? read.data : undefined;
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
