import type { MaterializationPartsFragment } from '../generated/graphql.ts';
import { formatAgo, formatCount, formatInstant, formatSeconds } from '../ui/format.ts';
import { timelineMarks } from './timeline-marks.ts';

type Sync = MaterializationPartsFragment['history'][number];

/**
 * When each sync ran, with its duration as height, and when the next one is due. The table below shows the same as
 * text.
 */
export function SyncTimeline({
  history,
  nextSyncAt,
}: {
  history: readonly Sync[];
  nextSyncAt: string | null;
}) {
  const { marks, fromMs, toMs, longest } = timelineMarks(history, nextSyncAt, Date.now());
  return (
    <figure className="timeline">
      <p className="small muted" aria-hidden="true">
        {formatSeconds(longest)}
      </p>
      <div className="timeline-bars" aria-hidden="true">
        {marks.map(({ id, left, height, outcome, at, sync }) => (
          <span
            key={id}
            className={outcome}
            style={{ left: `${left}%`, height: `${height}%` }}
            title={`${formatInstant(at)}: ${outcome}${sync === null ? '' : wordsOf(sync)}`}
          />
        ))}
      </div>
      <figcaption className="small muted">
        <time dateTime={new Date(fromMs).toISOString()}>
          {formatAgo(new Date(fromMs).toISOString())}
        </time>
        <time dateTime={new Date(toMs).toISOString()}>
          {nextSyncAt === null
            ? formatAgo(new Date(toMs).toISOString())
            : `next ${formatAgo(nextSyncAt)}`}
        </time>
      </figcaption>
    </figure>
  );
}

function wordsOf({ durationSeconds, rows }: Sync): string {
  const stored = rows === null ? '' : `, ${formatCount(rows)} rows`;
  return ` in ${formatSeconds(durationSeconds)}${stored}`;
}
