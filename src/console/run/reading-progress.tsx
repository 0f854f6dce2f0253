import { formatSeconds } from '../ui/format.ts';
import { type RunProgress, readSoFar } from './run-progress.ts';

/** Rows read out of the rows that the engine expects to read; without a length if it does not know how many. */
export function ReadingProgress({ progress }: { progress: RunProgress }) {
  const { rowsRead, estimatedRowsTotal, timeElapsed } = progress;
  return (
    <div className="running" role="status">
      {estimatedRowsTotal > 0 ? (
        <progress
          aria-label="Rows read"
          value={Math.min(rowsRead, estimatedRowsTotal)}
          max={estimatedRowsTotal}
        />
      ) : (
        <progress aria-label="Running" />
      )}
      <p className="small muted">
        {readSoFar(progress)}, in {formatSeconds(timeElapsed)}
      </p>
    </div>
  );
}
