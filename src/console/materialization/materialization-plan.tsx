import { useApi } from '../api/use-api.ts';
import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import { MaterializationPreviewDocument } from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import { formatBytes, formatSeconds, plural } from '../ui/format.ts';
import { ErrorNote, Fact, Facts, Loading, Note } from '../ui/parts.tsx';

/** What would be stored and gained, or why not and what would mend it. Measured with the data as it is. */
export function MaterializationPlan({ isOn }: { isOn: boolean }) {
  const { name } = useEndpointHead();
  const project = useProject();
  const { data, error } = useApi(MaterializationPreviewDocument, { projectId: project, name });
  if (error !== null) return <ErrorNote error={error} />;
  const plan = data?.materializationPreview;
  if (plan === undefined || plan === null) return <Loading lines={4} />;
  const { expected, gain, tiedRows, storedQuery, readQuery, sortingKey } = plan;
  return (
    <section className="panel padded stack" aria-label="Plan">
      <h2>{isOn ? 'How it is stored' : 'What materializing would do'}</h2>
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
          {tiedRows.tieBreaker !== null && (
            <p>
              Append <code>{tiedRows.tieBreaker}</code> to its ORDER BY.
            </p>
          )}
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
        {sortingKey.length > 0 && <Fact name="Sorted by">{sortingKey.join(', ')}</Fact>}
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
