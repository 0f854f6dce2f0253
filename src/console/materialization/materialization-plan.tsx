import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import { ReadingProgress } from '../run/reading-progress.tsx';
import { formatBytes, formatSeconds, plural } from '../ui/format.ts';
import { Button, Empty, ErrorNote, Fact, Facts, Loading, Note } from '../ui/parts.tsx';
import type { MeasuredPlan, Plan } from './use-plan.ts';

interface MaterializationPlanProps {
  readonly measured: MeasuredPlan;
  readonly isOn: boolean;
  readonly isSyncing: boolean;
  /** Whether the runs of the stored table have been measured: what was expected of them then says nothing more. */
  readonly isKnown: boolean;
}

/** What would be stored and gained, or why not and how to fix it. Measured on the current data. */
export function MaterializationPlan({
  measured,
  isOn,
  isSyncing,
  isKnown,
}: MaterializationPlanProps) {
  const { columns } = useEndpointHead();
  const { plan, error } = measured;
  if (error !== null) return <ErrorNote error={error} />;
  if (plan === null) return isSyncing ? null : <Measuring {...measured} isOn={isOn} />;
  const { tiedRows, storedQuery, readQuery } = plan;
  const { expected, gain } = isKnown ? { expected: null, gain: null } : plan;
  const sortedBy = plan.sortingKey.flatMap((key) => nameOfKey(key, columns, plan.variables) ?? []);
  return (
    <section className="panel padded stack" aria-label="Plan">
      <h2>{isOn ? 'How it is stored' : 'If you materialize this version'}</h2>
      {!plan.canMaterialize && (
        <Note tone="warn">
          <p>
            <bdi>{plan.reason}</bdi>
          </p>
        </Note>
      )}
      {tiedRows !== null && (
        <Note tone="warn">
          <p>
            <bdi>{tiedRows.detail}</bdi>
          </p>
        </Note>
      )}
      <Facts>
        {expected !== null && (
          <Fact name={expected.exact ? 'Rows to store' : 'Rows to store, at most'}>
            {plural(expected.rows, 'row')}
            {expected.bytes !== null && (
              <span className="muted"> · {formatBytes(expected.bytes)}</span>
            )}
          </Fact>
        )}
        {gain !== null && (
          <Fact name="Expected gain">
            {speedOf(gain.expectedGain)}
            <span className="muted">
              {' '}
              · {formatSeconds(gain.expectedReadMs / 1000)} instead of{' '}
              {formatSeconds(gain.inlineMs / 1000)}
            </span>
          </Fact>
        )}
        {sortedBy.length > 0 && <Fact name="Sorted by">{sortedBy.join(', ')}</Fact>}
      </Facts>
      {gain !== null && gain.advice !== null && (
        <Note tone="accent">
          <p>
            <bdi>{gain.advice}</bdi>
          </p>
        </Note>
      )}
      {storedQuery !== null && <Sql title="Stored by each sync" text={storedQuery} />}
      {readQuery !== null && <Sql title="Read by each run" text={readQuery} />}
    </section>
  );
}

/** By a gain of two digits, in the words of the service's advice. */
function speedOf(gain: number): string {
  const slower = Number((1 / gain).toPrecision(2));
  if (gain === 1 || slower === 1) return 'about as fast';
  return gain > 1 ? `${gain} times as fast` : `about ${slower} times slower`;
}

/** Before there is a plan. The engine runs several short queries, whose number is not known in advance. */
function Measuring({
  isOn,
  isMeasuring,
  progress,
  onStop,
  onMeasure,
}: MeasuredPlan & { isOn: boolean }) {
  if (!isMeasuring)
    return (
      <Empty title={isOn ? 'Not measured' : 'Stopped'}>
        <Button onClick={onMeasure}>{isOn ? 'Measure' : 'Measure again'}</Button>
      </Empty>
    );
  return (
    <>
      {progress === null ? <Loading lines={4} /> : <ReadingProgress progress={progress} />}
      {onStop !== null && (
        <p className="measuring" role="status">
          <span className="muted">Measuring on the current data what storing would gain…</span>
          <Button onClick={onStop}>Stop</Button>
        </p>
      )}
    </>
  );
}

/** A column that only the service knows, such as part of an aggregate. */
const internalColumn = /^(__[a-z]\d*$|__querydock|querydock_)/;

/**
 * A column of the stored table in the author's terms: a result column, or an expression that variables are compared
 * with or the result is ordered by. Null if there are none.
 */
function nameOfKey(
  key: string,
  columns: readonly { readonly name: string }[],
  variables: Plan['variables'],
): string | null {
  const result = /^__c(\d+)$/.exec(key);
  if (result !== null) return columns[Number(result[1])]?.name ?? null;
  if (key === '__n') return 'the order of the result';
  if (/^__s\d+$/.test(key)) return 'an expression of ORDER BY';
  if (!internalColumn.test(key)) return key;
  const compared = variables.filter(({ column }) => column === key);
  if (compared.length === 0) return null;
  return `the value compared with ${compared.map(({ variable }) => variable).join(' and ')}`;
}

function Sql({ title, text }: { title: string; text: string }) {
  return (
    <details>
      <summary>{title}</summary>
      <pre className="sql-block" tabIndex={0} role="region" aria-label={title}>
        <bdi>{text}</bdi>
      </pre>
    </details>
  );
}
