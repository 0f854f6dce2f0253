import type { MaterializationPartsFragment } from '../generated/graphql.ts';
import { formatBytes, formatCount, formatSeconds } from '../ui/format.ts';
import { Ago, Badge, type Tone } from '../ui/parts.tsx';
import { SyncTimeline } from './sync-timeline.tsx';

type Sync = MaterializationPartsFragment['history'][number];

const tones: Readonly<Record<string, Tone>> = {
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

interface SyncHistoryProps {
  readonly history: readonly Sync[];
  readonly nextSyncAt: string | null;
}

/** The last syncs on a timeline, and the figures of each, newest first. */
export function SyncHistory({ history, nextSyncAt }: SyncHistoryProps) {
  return (
    <section className="panel" aria-label="History">
      <div className="pad stack">
        <h2>Syncs</h2>
        <SyncTimeline history={history} nextSyncAt={nextSyncAt} />
      </div>
      <div className="table-scroll" role="region" aria-label="Syncs" tabIndex={0}>
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Started</th>
              <th scope="col">Outcome</th>
              <th scope="col" className="number">
                Took
              </th>
              <th scope="col" className="number">
                Rows
              </th>
              <th scope="col" className="number">
                On disk
              </th>
            </tr>
          </thead>
          <tbody>
            {history.map((sync) => (
              <tr key={sync.id}>
                <td className="nowrap">
                  <Ago at={sync.startedAt} />
                </td>
                <td>
                  <Badge tone={tones[sync.outcome] ?? 'plain'}>{sync.outcome}</Badge>
                  {sync.error !== null && (
                    <p className="small muted">
                      <bdi>{sync.error}</bdi>
                    </p>
                  )}
                </td>
                <td className="number">{formatSeconds(sync.durationSeconds)}</td>
                <td className="number">{sync.rows === null ? '–' : formatCount(sync.rows)}</td>
                <td className="number">{sync.bytes === null ? '–' : formatBytes(sync.bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
