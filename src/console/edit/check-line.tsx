import { plural } from '../ui/format.ts';
import { Badge } from '../ui/parts.tsx';
import type { CheckState } from './use-check.ts';

/** One line below the text: whether it is valid, what it reads, or what is wrong. */
export function CheckLine({ state: { check, fault, isChecking } }: { state: CheckState }) {
  if (fault !== null)
    return (
      <p className="check-line bad" role="status">
        <bdi>{fault.message}</bdi>
      </p>
    );
  if (check === null)
    return (
      <p className="check-line muted" role="status">
        {isChecking ? 'Checking…' : 'Write one SELECT. {name:Type} is a variable.'}
      </p>
    );
  const { tables, estimatedRows, materialization } = check;
  return (
    <p className="check-line" role="status">
      <Badge tone="good">Valid</Badge>
      <span>
        {tables.length === 0 ? (
          'Reads no table'
        ) : (
          <>
            Reads <bdi>{tables.map(({ name }) => name).join(', ')}</bdi>
            {estimatedRows !== null && `, about ${plural(estimatedRows, 'row')}`}
          </>
        )}
      </span>
      {materialization.canMaterialize ? (
        <span className="muted">Can be materialized</span>
      ) : (
        <span className="muted" title={materialization.reason ?? ''}>
          Cannot be materialized
        </span>
      )}
    </p>
  );
}
