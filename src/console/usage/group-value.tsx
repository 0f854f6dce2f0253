import { Link } from 'react-router';
import { servedPaths } from '../run/run-facts.tsx';
import { useProject, viewPath } from '../shell/use-project.ts';
import { Badge } from '../ui/parts.tsx';
import type { GroupLine } from './group-order.ts';

const interfaces: Readonly<Record<string, string>> = {
  rest: 'REST',
  graphql: 'GraphQL',
  live: 'Live results',
};

/** The value that a line's runs share. */
export function GroupValue({ line, group }: { line: GroupLine; group: string }) {
  const { version, key, path, outcome } = line;
  if (group === 'endpoint') return <EndpointName line={line} />;
  if (group === 'version') return <>Version {version}</>;
  if (group === 'key') return <KeyName usageKey={key} />;
  if (group === 'interface') return <>{interfaces[line.interface ?? ''] ?? line.interface}</>;
  if (group === 'path') {
    const [words, tone] = servedPaths[path ?? ''] ?? ['Refused', 'plain' as const];
    return <Badge tone={tone}>{words}</Badge>;
  }
  return outcome === 'ok' ? <Badge tone="good">OK</Badge> : <Badge tone="bad">{outcome}</Badge>;
}

function EndpointName({ line: { endpoint, endpointId } }: { line: GroupLine }) {
  const project = useProject();
  if (endpoint === null || endpoint === '' || endpointId === null)
    return <span className="muted">Unsaved queries</span>;
  // A built-in endpoint has no page.
  if (endpoint.startsWith('_')) return <>{endpoint}</>;
  return (
    <Link className="strong-link" to={viewPath(project, 'endpoints', endpoint, 'usage')}>
      {endpoint}
    </Link>
  );
}

/** A key's label, next to its recognizable prefix. */
export function KeyName({ usageKey }: { usageKey: GroupLine['key'] }) {
  if (usageKey === null) return <>–</>;
  const { id, label, prefix } = usageKey;
  return (
    <>
      <bdi>{label ?? id}</bdi> {prefix !== null && <code className="muted small">{prefix}…</code>}
    </>
  );
}
