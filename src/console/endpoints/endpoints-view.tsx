import { Link } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { LoadLink } from '../load/load-link.tsx';
import { useProject, viewPath } from '../shell/use-project.ts';
import { plural } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Button, Empty, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { EndpointsTable } from './endpoints-table.tsx';
import { type EndpointConditions, useEndpointFilter } from './use-endpoint-filter.ts';

export function EndpointsView() {
  useTitle('Endpoints');
  const project = useProject();
  const conditions = useEndpointFilter();
  const { write, load } = useMay();
  return (
    <div className="view fill">
      <PageHead
        title="Endpoints"
        actions={
          write && (
            <Link className="button primary" to={viewPath(project, 'new')}>
              <Icon name="plus" />
              New endpoint
            </Link>
          )
        }
      />
      <Filters conditions={conditions} />
      <EndpointsTable
        conditions={conditions}
        whenEmpty={<NoneFound conditions={conditions} mayWrite={write} mayLoad={load} />}
      />
    </div>
  );
}

function Filters({ conditions }: { conditions: EndpointConditions }) {
  const { search, labels, state, stored, set, toggleLabel } = conditions;
  return (
    <search className="filters">
      <label className="search-field">
        <Icon name="search" />
        <span className="visually-hidden">Search by name or description</span>
        <input
          type="search"
          placeholder="Search by name or description"
          value={search}
          onChange={({ target }) => set('q', target.value)}
        />
      </label>
      <select
        aria-label="State"
        value={state}
        onChange={({ target }) => set('state', target.value)}
      >
        <option value="">Any state</option>
        <option value="active">Active</option>
        <option value="inactive">Inactive</option>
      </select>
      <select
        aria-label="Materialization"
        value={stored}
        onChange={({ target }) => set('stored', target.value)}
      >
        <option value="">Materialized or not</option>
        <option value="yes">Materialized</option>
        <option value="no">Not materialized</option>
      </select>
      {labels.map((label) => (
        <button
          key={label}
          type="button"
          className="chip chosen"
          aria-label={`Remove the label ${label}`}
          onClick={() => toggleLabel(label)}
        >
          <bdi>{label}</bdi>
          <Icon name="close" />
        </button>
      ))}
    </search>
  );
}

interface NoneFoundProps {
  readonly conditions: EndpointConditions;
  readonly mayWrite: boolean;
  readonly mayLoad: boolean;
}

function NoneFound({ conditions, mayWrite, mayLoad }: NoneFoundProps) {
  const project = useProject();
  const given = Object.keys(conditions.filter).length;
  if (given > 0)
    return (
      <Empty title="No endpoint matches">
        <p>
          <Button onClick={conditions.clear}>Clear {plural(given, 'condition')}</Button>
        </p>
      </Empty>
    );
  return (
    <Empty title="No endpoints yet">
      <p>An endpoint is a saved query that your programs run by its name.</p>
      <p className="empty-buttons">
        {mayLoad && <LoadLink />}
        {mayWrite && (
          <Link className="button primary" to={viewPath(project, 'new')}>
            Create the first one
          </Link>
        )}
      </p>
    </Empty>
  );
}
