import { formatAgo, formatBytes, formatSeconds, plural } from '../ui/format.ts';
import { Badge, Fact, Facts, type Tone } from '../ui/parts.tsx';
import type { RunResult } from './use-run.ts';

/** Labels of the path that served a run. */
export const servedPaths: Readonly<Record<string, readonly [string, Tone]>> = {
  cache: ['Result cache', 'good'],
  materialized: ['Stored table', 'good'],
  inline: ['Source data', 'plain'],
};

/** Why a run of a materialized version read source data. */
export const inlineReasons: Readonly<Record<string, string>> = {
  not_ready: 'Its stored table is not built yet.',
  failed: 'The last sync of its stored table failed.',
  stale: 'Its stored table is older than its cadence.',
  max_age: 'Its stored table is older than this run allows.',
  variables: 'Its stored table cannot answer these values.',
  direct: 'The run asked for the source data.',
  faster: 'Reading the source data is faster for this query.',
};

/** The cost of a response, which path served it, and why no faster one. */
export function RunFactsBar({ result }: { result: RunResult }) {
  const { facts, rows, seconds } = result;
  const { queryProgress, servedFrom } = facts;
  const [path, tone] = servedPaths[servedFrom ?? 'inline'] ?? [servedFrom, 'plain' as const];
  const engine = facts.timings?.find(({ name }) => name === 'engine');
  return (
    <div className="run-facts">
      <Facts>
        <Fact name="Rows">
          {plural(rows.length, 'row')}
          {facts.hasMore && <span className="muted"> and more</span>}
        </Fact>
        <Fact name="Served from">
          <Badge tone={tone}>{path}</Badge>
        </Fact>
        <Fact name="Took">
          {formatSeconds(seconds)}
          {engine !== undefined && servedFrom !== 'cache' && (
            <span className="muted"> · engine {formatSeconds(engine.seconds)}</span>
          )}
        </Fact>
        {queryProgress !== null && (
          <Fact name="Read">
            {plural(queryProgress.rowsRead, 'row')}
            <span className="muted"> · {formatBytes(queryProgress.bytesRead)}</span>
          </Fact>
        )}
        <Fact name="Computed">{formatAgo(facts.lastRefresh)}</Fact>
      </Facts>
      <p className="why muted small">{whyNotFaster(result)}</p>
    </div>
  );
}

function whyNotFaster({ facts }: RunResult): string {
  const { servedFrom, inlineReason, cacheTargetAge } = facts;
  if (servedFrom === 'cache')
    return `Served from the cache, which keeps this result until ${cacheTargetAge.slice(11, 19)} UTC.`;
  if (servedFrom === 'materialized')
    return 'Read from the stored table. The same run again comes from the cache.';
  if (inlineReason !== null && inlineReason !== undefined)
    return inlineReasons[inlineReason] ?? `Not from its stored table: ${inlineReason}.`;
  if (facts.endpointVersion === undefined) return 'Unsaved queries are always computed.';
  return 'Computed from the source data: it was not in the cache, and this version is not materialized.';
}
