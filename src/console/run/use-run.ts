import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, request } from '../api/client.ts';
import {
  RunEndpointDocument,
  type RunEndpointQuery,
  type RunInput,
  RunUnsavedDocument,
} from '../generated/graphql.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';
import { newRunId, type RunProgress, useRunProgress } from './run-progress.ts';

type EndpointResult = NonNullable<RunEndpointQuery['runEndpoint']>;

/** The facts of a run; those of a saved endpoint are absent for an unsaved query. */
type RunFacts = Omit<EndpointResult, 'results' | 'types' | EndpointOnly> &
  Partial<Pick<EndpointResult, EndpointOnly>>;

type EndpointOnly = 'endpointVersion' | 'endpointMaterialized' | 'endpointMaterializedAt';

export interface RunResult {
  readonly facts: RunFacts;
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
  /** From the request to the last row, in seconds. */
  readonly seconds: number;
}

export interface RunTarget {
  readonly projectId: string;
  /** The name of an endpoint; absent for an unsaved query. */
  readonly endpoint?: string;
  readonly query?: unknown;
}

export interface RunState {
  readonly result: RunResult | undefined;
  readonly error: ApiError | null;
  readonly isRunning: boolean;
  readonly progress: RunProgress | null;
  /** Cancels the run, which ends it at the engine unless somebody else is waiting for it. */
  readonly stop: () => void;
  readonly again: () => void;
}

/** Runs when its inputs change and are enabled. 64-bit integers arrive as strings, to keep every digit. */
export function useRun(target: RunTarget, input: RunInput, enabled: boolean): RunState {
  const queryClient = useQueryClient();
  const [attempt, setAttempt] = useState(0);
  const queryKey = ['run', target, input, attempt];
  const id = useRef('');
  const run = useQuery<RunResult, ApiError>({
    queryKey,
    queryFn: ({ signal }) => {
      id.current = newRunId();
      return fetchRun(target, { ...input, clientQueryId: id.current }, signal);
    },
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    // Results may be large, so an earlier one is not kept.
    gcTime: 10_000,
    retry: false,
  });
  const progress = useRunProgress(target.projectId, id.current, run.isFetching);
  return {
    result: run.data,
    error: run.error,
    isRunning: run.isFetching,
    progress,
    stop: () => void queryClient.cancelQueries({ queryKey }),
    again: () => setAttempt(attempt + 1),
  };
}

async function fetchRun(
  { projectId, endpoint, query }: RunTarget,
  given: RunInput,
  signal: AbortSignal,
): Promise<RunResult> {
  const startedAt = performance.now();
  const input: RunInput = { ...given, debug: true, integers: 'string' };
  const response =
    endpoint === undefined
      ? (await request(RunUnsavedDocument, { projectId, query, input }, { signal })).runQuery
      : (await request(RunEndpointDocument, { projectId, name: endpoint, input }, { signal }))
          .runEndpoint;
  if (response === null) throw new ApiError('The service returned no result.', 'error', null);
  const { results, types, ...facts } = response;
  return {
    facts,
    rows: results as readonly ResultRow[],
    columns: types.map(([name = '', type = '']) => ({ name, type })),
    seconds: (performance.now() - startedAt) / 1000,
  };
}
