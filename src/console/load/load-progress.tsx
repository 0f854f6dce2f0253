import { useEffect, useState } from 'react';
import { formatBytes, formatSeconds } from '../ui/format.ts';
import { Button } from '../ui/parts.tsx';

interface LoadProgressProps {
  /** Bytes. */
  readonly sent: number;
  readonly total: number;
  /** By `performance.now()`. */
  readonly since: number;
  readonly onStop: () => void;
}

/** Upload progress in bytes; afterwards just that the service is working, because its duration is unknown. */
export function LoadProgress({ sent, total, since, onStop }: LoadProgressProps) {
  const seconds = useSecondsSince(since);
  const isSent = sent >= total;
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
            ? `All ${formatBytes(total)} have been sent. The service is detecting the types and loading the rows.`
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
