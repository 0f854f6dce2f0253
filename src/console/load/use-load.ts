import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { newRunId } from '../run/run-progress.ts';
import { type FileToLoad, type LoadedRows, type Sending, sendFile } from './send-file.ts';

type LoadState =
  | { readonly kind: 'idle' }
  /** `sent` counts the file's bytes; once it is all of them, the service detects types and loads rows. */
  | {
      readonly kind: 'running';
      readonly sent: number;
      readonly since: number;
      readonly requestId: string;
    }
  /** Certain means that the service did not receive the whole file, so nothing has changed. */
  | { readonly kind: 'stopped'; readonly isCertain: boolean }
  | { readonly kind: 'refused'; readonly error: ApiError }
  | { readonly kind: 'loaded'; readonly loaded: LoadedRows; readonly seconds: number };

export interface Loading {
  readonly state: LoadState;
  readonly start: (load: Omit<FileToLoad, 'requestId'>) => void;
  readonly stop: () => void;
  /** Clears the last outcome. */
  readonly reset: () => void;
}

/** One load at a time; leaving the view stops it. */
export function useLoad(): Loading {
  const queryClient = useQueryClient();
  const [state, setState] = useState<LoadState>({ kind: 'idle' });
  const sending = useRef<Sending>(null);
  useEffect(() => () => sending.current?.stop(), []);
  const start: Loading['start'] = (load) => {
    const since = performance.now();
    const requestId = newRunId();
    let isSent = false;
    setState({ kind: 'running', sent: 0, since, requestId });
    const current = sendFile({ ...load, requestId }, (sent) => {
      isSent = sent === load.file.size;
      setState({ kind: 'running', sent, since, requestId });
    });
    sending.current = current;
    current.done
      .then((loaded) => {
        setState({ kind: 'loaded', loaded, seconds: (performance.now() - since) / 1000 });
        // Every result and every list of tables may have changed.
        void queryClient.invalidateQueries();
      })
      .catch((error: unknown) =>
        setState(
          error instanceof ApiError
            ? { kind: 'refused', error }
            : { kind: 'stopped', isCertain: !isSent },
        ),
      )
      .finally(() => {
        sending.current = null;
      });
  };
  return {
    state,
    start,
    stop: () => sending.current?.stop(),
    reset: () => setState({ kind: 'idle' }),
  };
}
