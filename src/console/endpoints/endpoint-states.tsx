import { Badge } from '../ui/parts.tsx';
import type { EndpointRow } from './use-endpoints.ts';

/** Whether callers may run it, and the outcome of the last run. */
export function RunState({ endpoint }: { endpoint: EndpointRow }) {
  if (!endpoint.isActive) return <Badge>Inactive</Badge>;
  if (endpoint.latestExecution?.error === true) return <Badge tone="bad">Last run failed</Badge>;
  if (endpoint.lastExecutedAt === null) return <Badge>Never run</Badge>;
  return <Badge tone="good">Active</Badge>;
}

/** The state of a materialization, in one word. */
export function StoredState({
  isMaterialized,
  status,
  ready,
}: {
  isMaterialized: boolean;
  status: string | null;
  ready: boolean;
}) {
  if (!isMaterialized) return <span className="muted">–</span>;
  if (status === 'Running') return <Badge tone="accent">Syncing</Badge>;
  if (status === 'Failed') return <Badge tone="bad">Sync failed</Badge>;
  if (ready) return <Badge tone="good">Stored</Badge>;
  return <Badge tone="warn">{status === 'Modified' ? 'Due' : 'Not ready'}</Badge>;
}
