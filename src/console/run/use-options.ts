import { useMemo, useState } from 'react';
import { useApi } from '../api/use-api.ts';
import { OptionsOfEndpointDocument } from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import { newRunId, readSoFar, useRequestProgress } from './run-progress.ts';
import { type Option, type OptionsSource, toOptions } from './variable-options.ts';

export interface FoundOptions {
  readonly options: readonly Option[];
  /** Explanation for the user: why there are no options, or that there are more. */
  readonly note: string;
  readonly isReading: boolean;
}

const most = 1000;

/** Runs the endpoint of the options once they are needed; its cache age determines their freshness. */
export function useOptions(source: OptionsSource, isWanted: boolean): FoundOptions {
  const projectId = useProject();
  const [requestId] = useState(newRunId);
  const { data, error, isFetching } = useApi(
    OptionsOfEndpointDocument,
    { projectId, name: source.endpoint, input: { limit: most, integers: 'string' } },
    { enabled: isWanted, requestId },
  );
  const progress = useRequestProgress(projectId, requestId, isFetching);
  const read = progress === null ? '' : readSoFar(progress);
  return useMemo(() => {
    const isReading = isFetching && data === undefined;
    if (error !== null) return { options: [], note: failed(source, error.message), isReading };
    const run = data?.runEndpoint;
    if (run === undefined || run === null) return { options: [], note: read, isReading };
    try {
      const rows = run.results as readonly (readonly unknown[])[];
      const options = toOptions(source, run.columns, rows);
      const note = run.hasMore
        ? `The first ${most} rows of ${source.endpoint}. You can type other values.`
        : '';
      return { options, note, isReading };
    } catch (fault) {
      return { options: [], note: failed(source, String((fault as Error).message)), isReading };
    }
  }, [source, data, error, isFetching, read]);
}

function failed({ endpoint }: OptionsSource, reason: string): string {
  return `No options from ${endpoint}: ${reason}`;
}
