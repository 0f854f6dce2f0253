import { formatCount, formatSeconds, plural } from '../ui/format.ts';
import { Sparkline } from '../usage/sparkline.tsx';
import type { RowUsage } from '../usage/use-row-usage.ts';

/** Cells with one endpoint's usage in 24 hours. @param usage undefined while loading; null when unknown */
export function LastDay({ usage }: { usage: RowUsage | null | undefined }) {
  if (usage === undefined || usage === null || usage.runs === 0)
    return (
      <>
        <span role="cell" className="muted">
          {usage?.runs === 0 ? '–' : ''}
        </span>
        <span role="cell" />
      </>
    );
  const { runs, errors, p95Ms, hours } = usage;
  const words = `${plural(runs, 'run')}, ${formatCount(errors)} failed`;
  return (
    <>
      <span role="cell" className="last-day" title={words}>
        <Sparkline hours={hours} />
        <span className="visually-hidden">{words}</span>
        <span aria-hidden="true" className="small">
          {formatCount(runs)}
        </span>
      </span>
      <span role="cell" className="number small nowrap">
        {p95Ms === null ? '–' : formatSeconds(p95Ms / 1000)}
      </span>
    </>
  );
}
