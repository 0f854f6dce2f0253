import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { nameOf, useApi } from '../api/use-api.ts';
import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import { MaterializationPreviewDocument } from '../generated/graphql.ts';
import { ReadingProgress } from '../run/reading-progress.tsx';
import { newRunId, type RunProgress, useRequestProgress } from '../run/run-progress.ts';
import { useProject } from '../shell/use-project.ts';
import { formatBytes, formatSeconds, plural } from '../ui/format.ts';
import { Button, Empty, ErrorNote, Fact, Facts, Loading, Note } from '../ui/parts.tsx';
import { useLasting } from '../ui/use-lasting.ts';

/** What would be stored and gained, or why not and how to fix it. Measured on the current data. */
export function MaterializationPlan({ isOn }: { isOn: boolean }) {
  const { name, columns } = useEndpointHead();
  const project = useProject();
  const queryClient = useQueryClient();
  const variables = { projectId: project, name };
  const [requestId] = useState(newRunId);
  const { data, error, isFetching, refetch } = useApi(MaterializationPreviewDocument, variables, {
    requestId,
  });
  const progress = useRequestProgress(project, requestId, isFetching);
  const isLong = useLasting(isFetching);
  if (error !== null) return <ErrorNote error={error} />;
  const plan = data?.materializationPreview;
  if (plan === undefined || plan === null) {
    const queryKey = [nameOf(MaterializationPreviewDocument), variables];
    return (
      <Measuring
        isRunning={isFetching}
        progress={progress}
        onStop={isLong ? () => void queryClient.cancelQueries({ queryKey }) : null}
        onAgain={() => void refetch()}
      />
    );
  }
  const { expected, gain, tiedRows, storedQuery, readQuery, sortingKey } = plan;
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
            {gain.expectedGain >= 10 ? Math.round(gain.expectedGain) : gain.expectedGain.toFixed(1)}{' '}
            times as fast
            <span className="muted">
              {' '}
              · {formatSeconds(gain.expectedReadMs / 1000)} instead of{' '}
              {formatSeconds(gain.inlineMs / 1000)}
            </span>
          </Fact>
        )}
        {sortingKey.length > 0 && (
          <Fact name="Sorted by">
            {sortingKey.map((key) => nameOfKey(key, columns, plan.variables)).join(', ')}
          </Fact>
        )}
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

interface MeasuringProps {
  readonly isRunning: boolean;
  /** Of the query that the engine is running. */
  readonly progress: RunProgress | null;
  /** Null for a measurement that has just begun. */
  readonly onStop: (() => void) | null;
  readonly onAgain: () => void;
}

/** Before there is a plan. The engine runs several short queries, whose number is not known in advance. */
function Measuring({ isRunning, progress, onStop, onAgain }: MeasuringProps) {
  if (!isRunning)
    return (
      <Empty title="Stopped">
        <Button onClick={onAgain}>Measure again</Button>
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

/**
 * A column of the stored table in the author's terms: a result column, or an expression that variables are compared
 * with.
 */
function nameOfKey(
  key: string,
  columns: readonly { readonly name: string }[],
  variables: readonly { readonly variable: string; readonly column: string | null }[],
): string {
  const result = /^__c(\d+)$/.exec(key);
  if (result !== null) return columns[Number(result[1])]?.name ?? key;
  const compared = variables.filter(({ column }) => column === key);
  return compared.length === 0
    ? key
    : `the value compared with ${compared.map(({ variable }) => variable).join(' and ')}`;
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
