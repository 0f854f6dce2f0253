import { lazy, Suspense, useMemo } from 'react';
import { useApi } from '../api/use-api.ts';
import { UsageOverTimeDocument, type UsageOverTimeQuery } from '../generated/graphql.ts';
import type { ChartData } from '../run/chart-data.ts';
import { formatCount, formatSeconds, plural } from '../ui/format.ts';
import { Empty, ErrorNote, Fact, Facts, Loading } from '../ui/parts.tsx';
import { filterOf, type UsageScope } from './usage-scope.ts';
import { fillSteps, type ShownStep, stepsOf } from './usage-steps.ts';

const Plot = lazy(async () => ({ default: (await import('../run/plot.tsx')).Plot }));

type Report = NonNullable<UsageOverTimeQuery['usage']>;

/** Totals of the period, and how runs, failures and p95 developed. */
export function UsageOverTime({ scope }: { scope: UsageScope }) {
  const { projectId, time } = scope;
  const variables = { projectId, ...time, filter: filterOf(scope) };
  const { data, error } = useApi(UsageOverTimeDocument, variables, { keep: true });
  if (error !== null) return <ErrorNote error={error} />;
  const report = data?.usage;
  if (report === undefined || report === null) return <Loading lines={6} />;
  if (report.total.runs === 0)
    return (
      <Empty title="No runs in this period">
        <p>
          Runs by REST, GraphQL and event streams are counted here, including those served from the
          cache.
        </p>
      </Empty>
    );
  return (
    <>
      <Totals total={report.total} />
      <Charts report={report} step={time.step} />
    </>
  );
}

function Totals({ total }: { total: Report['total'] }) {
  const { runs, errors, errorsByCode, executions, rowsRead, engineSeconds } = total;
  const { processorSeconds, measuredExecutions } = total;
  const tookMs = (ms: number | null) => (ms === null ? '–' : formatSeconds(ms / 1000));
  return (
    <section className="panel padded" aria-label="Total">
      <Facts>
        <Fact name="Runs">{formatCount(runs)}</Fact>
        <Fact name="Failed">
          {formatCount(errors)}
          {errors > 0 && (
            <span className="muted">
              {' · '}
              {errorsByCode.map(({ code, runs: count }) => `${count} ${code}`).join(', ')}
            </span>
          )}
        </Fact>
        <Fact name="p50">{tookMs(total.p50Ms)}</Fact>
        <Fact name="p95">{tookMs(total.p95Ms)}</Fact>
        <Fact name="p99">{tookMs(total.p99Ms)}</Fact>
        <Fact name="At the engine">
          {plural(executions, 'execution')}
          <span className="muted"> · {formatSeconds(engineSeconds)}</span>
        </Fact>
        <Fact name="CPU time">
          {processorSeconds === null ? 'not known' : formatSeconds(processorSeconds)}
          {processorSeconds !== null && measuredExecutions < executions && (
            <span className="muted"> · of {plural(measuredExecutions, 'execution')}</span>
          )}
        </Fact>
        <Fact name="Read">{plural(rowsRead, 'row')}</Fact>
      </Facts>
    </section>
  );
}

function Charts({ report, step }: { report: Report; step: ShownStep }) {
  const charts = useMemo(() => chartsOf(report, step), [report, step]);
  return (
    <div className="usage-charts">
      {charts.map(({ title, data, names }) => (
        <section key={title} className="panel chart" aria-label={title}>
          <h2>{title}</h2>
          <Suspense fallback={<Loading lines={6} />}>
            <Plot
              kind="bar"
              data={data}
              xName="UTC"
              yNames={names}
              label={`${title} by ${step}, ${plural(data.xs.length, 'step')}`}
              height={200}
              isOneScale
            />
          </Suspense>
        </section>
      ))}
    </div>
  );
}

interface UsageChart {
  readonly title: string;
  readonly names: readonly string[];
  readonly data: ChartData;
}

function chartsOf(report: Report, step: ShownStep): readonly UsageChart[] {
  const steps = stepsOf(report, step);
  const filled = fillSteps(steps, report.results);
  const shared = { xs: steps.map((at) => at / 1000), categories: null, isTime: true, leftOut: 0 };
  const runs = filled.map((one) => one?.runs ?? 0);
  const errors = filled.map((one) => one?.errors ?? 0);
  const p95 = filled.map((one) => one?.p95Ms ?? null);
  return [
    {
      title: 'Runs and failures',
      names: ['Runs', 'Failed'],
      data: { ...shared, series: [runs, errors] },
    },
    { title: 'p95 in milliseconds', names: ['p95'], data: { ...shared, series: [p95] } },
  ];
}
