import { Link, useSearchParams } from 'react-router';
import { useApi } from '../api/use-api.ts';
import { PlanParts } from '../edit/plan-parts.tsx';
import { ListedExecutionsDocument, type ListedExecutionsQuery } from '../generated/graphql.ts';
import { inlineReasons, servedPaths } from '../run/run-facts.tsx';
import { useProject, viewPath } from '../shell/use-project.ts';
import { formatCount, formatSeconds } from '../ui/format.ts';
import { Ago, Badge, ErrorNote, Loading } from '../ui/parts.tsx';
import type { UsageScope } from './usage-scope.ts';
import { useSetParam } from './use-set-param.ts';

type Entry = NonNullable<ListedExecutionsQuery['executions']>['entries'][number];

const lists = {
  // Failed ones, too: a run that takes too long ends as a failure. Running ones come last.
  slowest: { label: 'Slowest', order: 'slowest', filter: {} },
  failed: { label: 'Failed', order: 'newest', filter: { status: 'failed' } },
} as const;
type ListName = keyof typeof lists;

const dayMs = 86_400_000;

/**
 * Single executions of the period: the slowest, or those that failed. Shows values of variables if the project records
 * them.
 */
export function UsageExecutions({ scope }: { scope: UsageScope }) {
  const [params] = useSearchParams();
  const set = useSetParam();
  const name: ListName = params.get('executions') === 'failed' ? 'failed' : 'slowest';
  const { order, filter } = lists[name];
  // Rounded to the hour, so that the request stays the same for a while.
  const dayBefore = Math.floor(Date.now() / 3_600_000) * 3_600_000 - dayMs;
  const after = scope.time.from ?? new Date(dayBefore).toISOString();
  const { data, error } = useApi(ListedExecutionsDocument, {
    projectId: scope.projectId,
    name: scope.endpoint?.name ?? null,
    order,
    filter: { ...filter, after },
    first: 20,
  });
  return (
    <section className="panel" aria-label="Executions">
      <div className="pad group-bar">
        <h2>Executions</h2>
        <fieldset className="segmented">
          <legend className="visually-hidden">Which executions</legend>
          {(Object.keys(lists) as ListName[]).map((one) => (
            <label key={one} className="segment">
              <input
                type="radio"
                name="executions"
                checked={one === name}
                onChange={() => set('executions', one)}
              />
              {lists[one].label}
            </label>
          ))}
        </fieldset>
      </div>
      {error !== null && <ErrorNote error={error} />}
      {error === null && <Entries entries={data?.executions?.entries} scope={scope} />}
    </section>
  );
}

function Entries({ entries, scope }: { entries: readonly Entry[] | undefined; scope: UsageScope }) {
  if (entries === undefined) return <Loading lines={4} />;
  if (entries.length === 0)
    return (
      <p className="pad muted">No executions in this period. Rejected runs are not listed here.</p>
    );
  return (
    <div className="table-scroll" role="region" aria-label="Single executions" tabIndex={0}>
      <table className="plain-table usage-table executions-table">
        <thead>
          <tr>
            <th scope="col">Began</th>
            {scope.endpoint === null && <th scope="col">Endpoint</th>}
            <th scope="col" className="number">
              Took
            </th>
            <th scope="col" className="number">
              CPU
            </th>
            <th scope="col" className="number">
              Rows read
            </th>
            <th scope="col">Variables</th>
            <th scope="col">What happened</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <EntryLine key={entry.id} entry={entry} hasName={scope.endpoint === null} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EntryLine({ entry, hasName }: { entry: Entry; hasName: boolean }) {
  const project = useProject();
  const { endpoint, version, startedAt, durationSeconds, rowsRead, variables } = entry;
  const { processorSeconds } = entry;
  return (
    <tr>
      <td className="nowrap">
        <Ago at={startedAt} />
        {!hasName && <p className="muted small">Version {version}</p>}
      </td>
      {hasName && (
        <td>
          {endpoint === '' || endpoint.startsWith('_') ? (
            <span className="muted">{endpoint === '' ? 'Not saved' : endpoint}</span>
          ) : (
            <>
              <Link to={viewPath(project, 'endpoints', endpoint, 'usage')}>{endpoint}</Link>{' '}
              <span className="muted small">version {version}</span>
            </>
          )}
        </td>
      )}
      <td className="number">{durationSeconds === null ? '–' : formatSeconds(durationSeconds)}</td>
      <td className="number">
        {processorSeconds === null ? '–' : formatSeconds(processorSeconds)}
      </td>
      <td className="number">{formatCount(rowsRead)}</td>
      <td className="small">
        <bdi>{shapesInWords(variables)}</bdi>
      </td>
      <td>
        <WhatHappened entry={entry} />
        {entry.plan !== null && (
          <details className="small">
            <summary>Plan</summary>
            <div className="stack">
              <PlanParts plan={entry.plan} />
            </div>
          </details>
        )}
      </td>
    </tr>
  );
}

const slowReasons: Readonly<Record<string, string>> = {
  ...inlineReasons,
  not_materialized: 'This version is not materialized.',
};

const cacheReasons: Readonly<Record<string, string>> = {
  absent: 'Not in the cache yet.',
  expired: 'Its result had expired.',
  bypassed: 'The run bypassed the cache.',
  unsaved: 'Unsaved queries are not cached.',
};

function WhatHappened({ entry }: { entry: Entry }) {
  const { errorCode, errorMessage, servedFrom, inlineReason, cacheReason } = entry;
  if (errorCode !== null)
    return (
      <>
        <Badge tone="bad">{errorCode}</Badge>
        <p className="small">
          <bdi>{errorMessage}</bdi>
        </p>
      </>
    );
  const [words, tone] = servedPaths[servedFrom] ?? [servedFrom, 'plain' as const];
  const why = [cacheReasons[cacheReason ?? ''], slowReasons[inlineReason ?? '']];
  return (
    <>
      <Badge tone={tone}>{words}</Badge>
      <p className="muted small">{why.filter((one) => one !== undefined).join(' ')}</p>
    </>
  );
}

/** Like "city: string of 4", or "city: Wien" where values are recorded. */
function shapesInWords(variables: unknown): string {
  if (typeof variables !== 'object' || variables === null) return '–';
  const shapes = Object.entries(variables as Readonly<Record<string, Shape>>);
  if (shapes.length === 0) return '–';
  return shapes
    .map(([name, { type, length, value }]) => {
      if (value !== undefined) return `${name}: ${value}`;
      const size = length === undefined ? '' : ` of ${formatCount(length)}`;
      return `${name}: ${type}${size}`;
    })
    .join(', ');
}

interface Shape {
  readonly type: string;
  readonly length?: number;
  /** Only where the project records them. */
  readonly value?: string;
}
