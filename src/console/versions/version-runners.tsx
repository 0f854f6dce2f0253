import { formatCount, plural } from '../ui/format.ts';
import { KeyName } from '../usage/group-value.tsx';
import type { VersionRuns } from './use-version-runs.ts';

/** Who still runs a version, in one line. */
export function VersionRunners({ runs: { runs, keys } }: { runs: VersionRuns }) {
  if (runs === 0) return <p className="muted small">No runs in 30 days.</p>;
  return (
    <div className="small version-runners">
      <span className="muted">{plural(runs, 'run')} in 30 days</span>
      {keys === null ? (
        <span className="muted">To see who ran it, use a key with endpoint:write.</span>
      ) : (
        <ul className="labels" aria-label="Keys that ran it">
          {keys.map((line) => (
            <li key={line.key?.id}>
              <KeyName usageKey={line.key} /> <span>{formatCount(line.runs)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
