import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, request } from '../api/client.ts';
import { useApi } from '../api/use-api.ts';
import {
  RunEndpointDocument,
  type RunEndpointQuery,
  type RunInput,
  RunProgressDocument,
  type RunProgressQuery,
  RunUnsavedDocument,
} from '../generated/graphql.ts';
import type { ResultColumn, ResultRow } from './grid-model.ts';

type EndpointAnswer = NonNullable<RunEndpointQuery['runEndpoint']>;

/** The facts of a run; those of a saved endpoint are absent where a query was not saved. */
export type RunFacts = Omit<EndpointAnswer, 'results' | 'types' | EndpointOnly> &
  Partial<Pick<EndpointAnswer, EndpointOnly>>;

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
  /** The name of an endpoint, or a query that is not saved. */
  readonly endpoint?: string;
  readonly query?: unknown;
}

export interface RunState {
  readonly result: RunResult | undefined;
  readonly error: ApiError | null;
  readonly isRunning: boolean;
  readonly progress: NonNullable<RunProgressQuery['queryStatus']>['queryProgress'] | null;
  /** Leaves the run, which ends it at the engine when nobody else waits for it. */
  readonly stop: () => void;
  readonly again: () => void;
}

/**
 * Runs when its inputs change and are enabled. Integers of 64 bits come as strings, so that every digit is there.
 */
export function useRun(target: RunTarget, input: RunInput, enabled: boolean): RunState {
  const queryClient = useQueryClient();
  const [attempt, setAttempt] = useState(0);
  const queryKey = ['run', target, input, attempt];
  const id = useRef('');
  const run = useQuery<RunResult, ApiError>({
    queryKey,
    queryFn: ({ signal }) => {
      id.current = newId();
      return fetchRun(target, { ...input, clientQueryId: id.current }, signal);
    },
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    // Many rows: those of an earlier run need not stay.
    gcTime: 10_000,
    retry: false,
  });
  const isLong = useLasting(run.isFetching);
  const status = useApi(
    RunProgressDocument,
    { projectId: target.projectId, id: id.current },
    { enabled: isLong, everyMs: isLong ? 700 : undefined },
  );
  return {
    result: run.data,
    error: run.error,
    isRunning: run.isFetching,
    progress: isLong ? (status.data?.queryStatus?.queryProgress ?? null) : null,
    stop: () => void queryClient.cancelQueries({ queryKey }),
    again: () => setAttempt(attempt + 1),
  };
}

/** Whether it has been so for a while: most runs are over before anybody would look at their progress. */
function useLasting(isSo: boolean): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    setLasting(false);
    if (!isSo) return undefined;
    const timer = setTimeout(() => setLasting(true), 800);
    return () => clearTimeout(timer);
  }, [isSo]);
  return isSo && isLasting;
}

/** For finding the run while it works; there is no secret in it. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return `console-${btoa(String.fromCharCode(...bytes)).replace(/\W/g, '0')}`;
}

async function fetchRun(
  { projectId, endpoint, query }: RunTarget,
  given: RunInput,
  signal: AbortSignal,
): Promise<RunResult> {
  const startedAt = performance.now();
  const input: RunInput = { ...given, debug: true, integers: 'string' };
  const answer =
    endpoint === undefined
      ? (await request(RunUnsavedDocument, { projectId, query, input }, { signal })).runQuery
      : (await request(RunEndpointDocument, { projectId, name: endpoint, input }, { signal }))
          .runEndpoint;
  if (answer === null) throw new ApiError('The service returned no result.', 'error', null);
  const { results, types, ...facts } = answer;
  return {
    facts,
    rows: results as readonly ResultRow[],
    columns: types.map(([name = '', type = '']) => ({ name, type })),
    seconds: (performance.now() - startedAt) / 1000,
  };
}
