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
  /** The suggested action, and the endpoint's view for it; empty for the first view. */
  readonly action: string;
  readonly view: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  unused_endpoint: { label: 'Unused', action: 'Deactivate or delete it', view: 'edit' },
  old_version: { label: 'Old version', action: 'Compare the versions', view: 'versions' },
  cache_age: { label: 'Cache age', action: 'Change its cache age', view: 'edit' },
  materialize: {
    label: 'Materialize',
    action: 'See the expected gain',
    view: 'materialization',
  },
  unused_variables: { label: 'Unused variables', action: 'Edit the query', view: 'edit' },
};

/** Suggestions from recorded usage, with links to where they are carried out. */
export function UsageAdvice({ scope }: { scope: UsageScope }) {
  const { write } = useMay();
  return (
    <section className="panel padded stack" aria-label="Advice">
      <h2>Advice</h2>
      {write ? (
        <AdviceList scope={scope} />
      ) : (
        <p className="muted">Advice requires a key with endpoint:write.</p>
      )}
    </section>
  );
}

function AdviceList({ scope: { projectId, endpoint } }: { scope: UsageScope }) {
  const { data, error } = useApi(ProjectAdviceDocument, { projectId });
  if (error !== null) return <ErrorNote error={error} />;
  const all = data?.usageAdvice;
  if (all === undefined || all === null) return <Loading />;
  const shown =
    endpoint === null ? all : all.filter(({ endpointId }) => endpointId === endpoint.id);
  if (shown.length === 0) return <p className="muted">No suggestions at the moment.</p>;
  return (
    <ul className="advice">
      {shown.map((one) => (
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
  const { label, action, view } = kinds[kind] ?? { label: kind, action: 'Open it', view: '' };
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
