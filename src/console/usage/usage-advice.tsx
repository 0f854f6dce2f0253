import { Link } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { ProjectAdviceDocument, type ProjectAdviceQuery } from '../generated/graphql.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { Badge, ErrorNote, Loading } from '../ui/parts.tsx';
import type { UsageScope } from './usage-scope.ts';

type Advice = NonNullable<ProjectAdviceQuery['usageAdvice']>[number];

interface Kind {
  readonly label: string;
  /** What to do, and the view of the endpoint where it is done; an empty one is its first. */
  readonly action: string;
  readonly view: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  unused_endpoint: { label: 'Nobody runs it', action: 'Look at it', view: '' },
  old_version: { label: 'Old version', action: 'Compare the versions', view: 'versions' },
  cache_age: { label: 'Cache age', action: 'See its usage', view: 'usage' },
  materialize: {
    label: 'Materialize',
    action: 'See what a stored table gains',
    view: 'materialization',
  },
  unused_variables: { label: 'Unused variables', action: 'Edit the query', view: 'edit' },
};

/** What the record suggests, with the place where it is done. */
export function UsageAdvice({ scope }: { scope: UsageScope }) {
  const { write } = useMay();
  return (
    <section className="panel padded stack" aria-label="Advice">
      <h2>Advice</h2>
      {write ? (
        <AdviceList scope={scope} />
      ) : (
        <p className="muted">Advice is for keys that may change endpoints (endpoint:write).</p>
      )}
    </section>
  );
}

function AdviceList({ scope: { projectId, endpoint } }: { scope: UsageScope }) {
  const { data, error } = useApi(ProjectAdviceDocument, { projectId });
  if (error !== null) return <ErrorNote error={error} />;
  const all = data?.usageAdvice;
  if (all === undefined || all === null) return <Loading />;
  const told = endpoint === null ? all : all.filter(({ endpointId }) => endpointId === endpoint.id);
  if (told.length === 0) return <p className="muted">The record suggests nothing at present.</p>;
  return (
    <ul className="advice">
      {told.map((one) => (
        <AdviceItem
          key={`${one.kind} ${one.endpointId} ${one.version} ${one.key?.id}`}
          advice={one}
        />
      ))}
    </ul>
  );
}

function AdviceItem({ advice: { kind, endpoint, detail } }: { advice: Advice }) {
  const project = useProject();
  const { label, action, view } = kinds[kind] ?? { label: kind, action: 'Look at it', view: '' };
  const path = viewPath(project, 'endpoints', endpoint, ...(view === '' ? [] : [view]));
  return (
    <li>
      <Badge tone="accent">{label}</Badge>
      <p>
        <bdi>{detail}</bdi>{' '}
        <Link to={path} aria-label={`${action}: ${endpoint}`}>
          {action}
        </Link>
      </p>
    </li>
  );
}
