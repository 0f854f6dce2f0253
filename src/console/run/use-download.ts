import { useEffect, useRef, useState } from 'react';
import type { ApiError } from '../api/client.ts';
import { type Download, download } from './download.ts';
import { newRunId } from './run-progress.ts';

export interface RunningDownload {
  /** The run's client query id. */
  readonly id: string;
  /** Bytes that have arrived; 0 while the engine computes. */
  readonly bytes: number;
}

export interface Downloading {
  /** Null when none is in progress. */
  readonly running: RunningDownload | null;
  readonly start: (run: Download, format: string) => void;
  readonly stop: () => void;
}

/** One download at a time. @param onEnd called with what to say about the end. */
export function useDownload(onEnd: (notice: string) => void): Downloading {
  const [running, setRunning] = useState<RunningDownload | null>(null);
  const controller = useRef<AbortController>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const start = (run: Download, format: string) => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    const id = newRunId();
    setRunning({ id, bytes: 0 });
    const end = (notice: string) => {
      if (controller.current !== own) return;
      setRunning(null);
      onEnd(notice);
    };
    const onBytes = (bytes: number) => {
      if (!own.signal.aborted) setRunning({ id, bytes });
    };
    download(run, { format, id, signal: own.signal, onBytes })
      .then(() => end('Downloaded'))
      .catch((error: ApiError) => end(own.signal.aborted ? 'Stopped' : error.message));
  };
  return { running, start, stop: () => controller.current?.abort() };
}
