import { useQuery } from '@tanstack/react-query';
import { type ApiError, request } from '../api/client.ts';
import { ExplainUnsavedDocument, type ExplainUnsavedQuery } from '../generated/graphql.ts';
import { formatCount, plural } from '../ui/format.ts';
import { Button, ErrorNote, Loading } from '../ui/parts.tsx';
import type { Definition } from './definition.ts';

type Plan = NonNullable<NonNullable<ExplainUnsavedQuery['checkQuery']>['plan']>;
type Step = Plan['steps'][number];

export interface Explained {
  readonly query: Definition;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface ExplainPanelProps {
  readonly projectId: string;
  readonly explained: Explained;
  readonly onClose: () => void;
}

/** What the engine would read and do for a query with these values; it is not run. */
export function ExplainPanel({ projectId, explained, onClose }: ExplainPanelProps) {
  const { query, variables } = explained;
  const { data, error } = useQuery<Plan | null, ApiError>({
    queryKey: ['explain', projectId, query, variables],
    queryFn: async ({ signal }) => {
      const given = { projectId, query, input: { variables } };
      return (await request(ExplainUnsavedDocument, given, { signal })).checkQuery?.plan ?? null;
    },
    retry: false,
  });
  return (
    <section className="panel padded stack" aria-label="Explanation">
      <div className="section-head">
        <h2>How it would run</h2>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      {error !== null && <ErrorNote error={error} title="Not explained" />}
      {data === undefined && error === null && <Loading lines={4} />}
      {data === null && <p className="muted">A value of a variable is missing.</p>}
      {data !== undefined && data !== null && <PlanParts plan={data} />}
    </section>
  );
}

function PlanParts({ plan: { reads, steps } }: { plan: Plan }) {
  return (
    <>
      {reads.length === 0 ? (
        <p className="muted">
          The engine estimates no table: it answers from what it knows, or reads from elsewhere.
        </p>
      ) : (
        <ul className="plan-reads">
          {reads.map(({ table, rows, parts, granules }) => (
            <li key={table}>
              <strong>
                <bdi>{table}</bdi>
              </strong>{' '}
              at most {plural(rows, 'row')}
              <span className="muted small">
                {' '}
                in {plural(parts, 'part')}, {plural(granules, 'granule')}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="plan-steps" role="region" aria-label="Steps, the last one first" tabIndex={0}>
        {steps.map((step, at) => (
          <PlanStep key={`step ${at + 1}`} step={step} />
        ))}
      </div>
    </>
  );
}

function PlanStep({ step: { depth, name, description, indexes } }: { step: Step }) {
  return (
    <div className="plan-step" style={{ paddingInlineStart: `${depth * 18}px` }}>
      <p>
        <strong>{name}</strong>{' '}
        <span className="muted">
          <bdi>{description}</bdi>
        </span>
      </p>
      {indexes.map((index, at) => (
        <p key={`index ${at + 1}`} className="plan-index small">
          <bdi>{index.kind}</bdi> leaves {formatCount(index.granules)} of{' '}
          {plural(index.granulesBefore, 'granule')}, {formatCount(index.parts)} of{' '}
          {plural(index.partsBefore, 'part')}
          {index.keys.length > 0 && (
            <span className="muted">
              {' '}
              by <bdi>{index.keys.join(', ')}</bdi>
            </span>
          )}
          {index.condition !== '' && index.condition !== 'true' && (
            <code className="muted">
              {' '}
              <bdi>{index.condition}</bdi>
            </code>
          )}
        </p>
      ))}
    </div>
  );
}
