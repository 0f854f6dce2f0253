import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ApiError } from '../api/client.ts';
import { nameOf, useApi } from '../api/use-api.ts';
import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import {
  MaterializationPreviewDocument,
  type MaterializationPreviewQuery,
} from '../generated/graphql.ts';
import { newRunId, type RunProgress, useRequestProgress } from '../run/run-progress.ts';
import { useProject } from '../shell/use-project.ts';
import { useLasting } from '../ui/use-lasting.ts';

export type Plan = NonNullable<MaterializationPreviewQuery['materializationPreview']>;

export interface MeasuredPlan {
  /** Null until it is measured. */
  readonly plan: Plan | null;
  readonly error: ApiError | null;
  readonly isMeasuring: boolean;
  /** Of the query that the engine is running. */
  readonly progress: RunProgress | null;
  /** Null for a measurement that has just begun. */
  readonly onStop: (() => void) | null;
  readonly onMeasure: () => void;
}

const name = nameOf(MaterializationPreviewDocument);

/**
 * The plan of the current version, which the engine measures.
 *
 * @param measures whether to begin by itself; what is being measured when this becomes false is stopped.
 */
export function usePlan(measures: boolean): MeasuredPlan {
  const endpoint = useEndpointHead();
  const project = useProject();
  const queryClient = useQueryClient();
  const { currentVersion: version } = endpoint;
  const variables = { projectId: project, name: endpoint.name, version };
  const [requestId] = useState(newRunId);
  const { data, error, isFetching, refetch } = useApi(MaterializationPreviewDocument, variables, {
    requestId,
    enabled: measures,
    once: true,
  });
  const progress = useRequestProgress(project, requestId, isFetching);
  const isLong = useLasting(isFetching);
  const stop = () => void queryClient.cancelQueries({ queryKey: [name, variables] });
  useEffect(() => {
    if (!measures) void queryClient.cancelQueries({ queryKey: [name] });
  }, [measures, queryClient]);
  return {
    plan: data?.materializationPreview ?? null,
    error,
    isMeasuring: isFetching,
    progress,
    onStop: isLong ? stop : null,
    onMeasure: () => void refetch(),
  };
}

/** Reads everything again but the plan, which neither a sync nor a cadence changes. */
export function useRefresh(): () => void {
  const queryClient = useQueryClient();
  const predicate = ({ queryKey }: Query) => queryKey[0] !== name;
  return () => void queryClient.invalidateQueries({ predicate });
}
