import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ApiError } from '../api/client.ts';
import { parseExact } from './exact-json.ts';
import { type GraphRequest, sendGraph } from './send-graph.ts';

export interface GraphError {
  readonly message: string;
  /** Of the field; empty: of the document. */
  readonly path: string;
  readonly code: string;
}

export interface GraphAnswer {
  /** As it came. */
  readonly text: string;
  /** Wide numbers are strings of their digits. */
  readonly data: unknown;
  readonly errors: readonly GraphError[];
  /** From the request to its last byte. */
  readonly seconds: number;
  /** How many answers there were to what is followed. */
  readonly count: number;
}

/** What was sent, with the answer to it. */
export interface GraphRun {
  readonly request: GraphRequest | null;
  readonly answer: GraphAnswer | null;
  readonly error: ApiError | null;
  readonly isRunning: boolean;
}

const nothing: GraphRun = { request: null, answer: null, error: null, isRunning: false };

export function useGraphRun(): {
  readonly run: GraphRun;
  readonly start: (request: GraphRequest, changesData: boolean) => void;
  readonly stop: () => void;
} {
  const [run, setRun] = useState(nothing);
  const controller = useRef<AbortController>(null);
  const queryClient = useQueryClient();
  // Whoever leaves the page waits for nothing.
  useEffect(() => () => controller.current?.abort(), []);
  const stop = () => {
    controller.current?.abort();
    setRun((before) => ({ ...before, isRunning: false }));
  };
  const start = (request: GraphRequest, changesData: boolean) => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    const startedAt = performance.now();
    let count = 0;
    const tell = (changes: Partial<GraphRun>) => {
      if (!own.signal.aborted) setRun((before) => ({ ...before, ...changes }));
    };
    setRun(({ answer, request: former }) => ({
      ...nothing,
      request: former,
      answer,
      isRunning: true,
    }));
    const onAnswer = (text: string) => {
      count += 1;
      const seconds = (performance.now() - startedAt) / 1000;
      tell({ request, answer: { ...readAnswer(text), seconds, count } });
    };
    sendGraph(request, own.signal, onAnswer)
      .then(() => tell({ isRunning: false }))
      .catch((error: ApiError) => tell({ request, answer: null, error, isRunning: false }))
      // What other views show may have changed by it.
      .finally(() => changesData && queryClient.invalidateQueries());
  };
  return { run, start, stop };
}

interface Told {
  readonly message?: unknown;
  readonly path?: readonly unknown[];
  readonly extensions?: { readonly code?: unknown };
}

function readAnswer(text: string): Pick<GraphAnswer, 'text' | 'data' | 'errors'> {
  const answer = parseExact(text) as {
    readonly data?: unknown;
    readonly errors?: readonly Told[];
  };
  const errors = (answer.errors ?? []).map(({ message, path = [], extensions }) => ({
    message: String(message),
    path: path.join(' › '),
    code: typeof extensions?.code === 'string' ? extensions.code : '',
  }));
  return { text, data: answer.data ?? null, errors };
}
