import type { PlanPartsFragment } from '../generated/graphql.ts';
import { formatCount, plural } from '../ui/format.ts';

export type Plan = PlanPartsFragment;
type Step = Plan['steps'][number];

/** What is read from each table, and the steps. */
export function PlanParts({ plan: { reads, steps } }: { plan: Plan }) {
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
