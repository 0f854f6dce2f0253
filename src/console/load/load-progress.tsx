import { useEffect, useState } from 'react';
import { useMay } from '../api/scopes.ts';
import { useRequestProgress } from '../run/run-progress.ts';
import { useProject } from '../shell/use-project.ts';
import { formatBytes, formatSeconds, plural } from '../ui/format.ts';
import { Button } from '../ui/parts.tsx';

interface LoadProgressProps {
  /** Bytes. */
  readonly sent: number;
  readonly total: number;
  /** By `performance.now()`. */
  readonly since: number;
  readonly requestId: string;
  readonly onStop: () => void;
}

/** Upload progress in bytes; afterwards the rows that the engine has read, of a number that nobody knows yet. */
export function LoadProgress({ sent, total, since, requestId, onStop }: LoadProgressProps) {
  const seconds = useSecondsSince(since);
  const isSent = sent >= total;
  const { read } = useMay();
  const progress = useRequestProgress(useProject(), requestId, isSent && read);
  const work =
    progress === null
      ? 'The service is detecting the types and loading the rows.'
      : `The service has read ${plural(progress.rowsRead, 'row')} so far.`;
  return (
    <div className="load-progress">
      <div className="running" role="status">
        {isSent ? (
          <progress aria-label="The service loads the rows" />
        ) : (
          <progress aria-label="Bytes sent" value={sent} max={total} />
        )}
        <p className="small muted">
          {isSent
            ? `All ${formatBytes(total)} have been sent. ${work}`
            : `Sent ${formatBytes(sent)} of ${formatBytes(total)}.`}
        </p>
      </div>
      <p className="load-buttons">
        <Button onClick={onStop}>Stop</Button>
        <span className="small muted">{formatSeconds(seconds)}</span>
      </p>
    </div>
  );
}

function useSecondsSince(since: number): number {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.floor((now - since) / 1000));
}
