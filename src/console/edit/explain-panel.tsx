import { useQuery } from '@tanstack/react-query';
import { type ApiError, request } from '../api/client.ts';
import { ExplainUnsavedDocument } from '../generated/graphql.ts';
import { Button, ErrorNote, Loading } from '../ui/parts.tsx';
import type { Definition } from './definition.ts';
import { type Plan, PlanParts } from './plan-parts.tsx';

export interface Explained {
  readonly query: Definition;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface ExplainPanelProps {
  readonly projectId: string;
  readonly explained: Explained;
  readonly onClose: () => void;
}

/** The engine's plan of a query with these values; it is not run. */
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
