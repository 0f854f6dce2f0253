import { useApi } from '../api/use-api.ts';
import { RunProgressDocument, type RunProgressQuery } from '../generated/graphql.ts';
import { formatBytes, plural } from '../ui/format.ts';
import { useLasting } from '../ui/use-lasting.ts';

export type RunProgress = NonNullable<RunProgressQuery['queryStatus']>['queryProgress'];

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
