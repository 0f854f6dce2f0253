import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ApiError } from '../api/client.ts';
import { parseExact } from '../api/exact-json.ts';
import { newRunId } from '../run/run-progress.ts';
import { type GraphRequest, sendGraph } from './send-graph.ts';

export interface GraphError {
  readonly message: string;
  /** Path of the field; empty for the document. */
  readonly path: string;
  readonly code: string;
}

export interface GraphResponse {
  /** As received. */
  readonly text: string;
  /** Wide numbers are strings of their digits. */
  readonly data: unknown;
  readonly errors: readonly GraphError[];
  /** From the request to its last byte. */
  readonly seconds: number;
  /** Number of responses to a subscription. */
  readonly count: number;
}

/** A request with its response. */
export interface GraphRun {
  /** The request that was sent last, or `request`. */
  readonly latest: GraphRequest | null;
  readonly request: GraphRequest | null;
  readonly response: GraphResponse | null;
  readonly error: ApiError | null;
  readonly isRunning: boolean;
  /** Identifies the request that has no response yet; null when there is none. */
  readonly waitingFor: string | null;
}

const nothing: GraphRun = {
  latest: null,
  request: null,
  response: null,
  error: null,
  isRunning: false,
  waitingFor: null,
};

const ended = { isRunning: false, waitingFor: null } as const;

export function useGraphRun(): {
  readonly run: GraphRun;
  readonly start: (request: GraphRequest, changesData: boolean) => void;
  readonly stop: () => void;
} {
  const [run, setRun] = useState(nothing);
  const controller = useRef<AbortController>(null);
  const queryClient = useQueryClient();
  // Cancels the request when the page is left.
  useEffect(() => () => controller.current?.abort(), []);
  const stop = () => {
    controller.current?.abort();
    setRun((before) => ({ ...before, latest: before.request, ...ended }));
  };
  const start = (request: GraphRequest, changesData: boolean) => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    const startedAt = performance.now();
    const requestId = newRunId();
    let count = 0;
    const update = (changes: Partial<GraphRun>) => {
      if (!own.signal.aborted) setRun((before) => ({ ...before, ...changes }));
    };
    setRun(({ response, request: former }) => ({
      ...nothing,
      latest: request,
      request: former,
      response,
      isRunning: true,
      waitingFor: requestId,
    }));
    const onResponse = (text: string) => {
      count += 1;
      const seconds = (performance.now() - startedAt) / 1000;
      update({ request, response: { ...readResponse(text), seconds, count }, waitingFor: null });
    };
    sendGraph(request, { signal: own.signal, requestId }, onResponse)
      .then(() => update(ended))
      .catch((error: ApiError) => update({ request, response: null, error, ...ended }))
      // The mutation may have changed data of other views.
      .finally(() => changesData && queryClient.invalidateQueries());
  };
  return { run, start, stop };
}

interface ResponseError {
  readonly message?: unknown;
  readonly path?: readonly unknown[];
  readonly extensions?: { readonly code?: unknown };
}

function readResponse(text: string): Pick<GraphResponse, 'text' | 'data' | 'errors'> {
  const response = parseExact(text) as {
    readonly data?: unknown;
    readonly errors?: readonly ResponseError[];
  };
  const errors = (response.errors ?? []).map(({ message, path = [], extensions }) => ({
    message: String(message),
    path: path.join(' › '),
    code: typeof extensions?.code === 'string' ? extensions.code : '',
  }));
  return { text, data: response.data ?? null, errors };
}
