import { useMay } from '../api/scopes.ts';
import { useWrite } from '../api/use-api.ts';
import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import { UpdateEndpointDocument } from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import { ErrorNote } from '../ui/parts.tsx';
import { useRefresh } from './use-plan.ts';

const cadences: Readonly<Record<string, string>> = {
  '5min': '5 minutes',
  '15min': '15 minutes',
  '30min': '30 minutes',
  '1hour': 'hour',
  '2hour': '2 hours',
  '4hour': '4 hours',
  '6hour': '6 hours',
  '12hour': '12 hours',
  '24hour': '24 hours',
  '7day': '7 days',
  '30day': '30 days',
};

/** How often the stored table is rebuilt; selectable for keys that may change it. */
export function Cadence({ every }: { every: string }) {
  const projectId = useProject();
  const { write } = useMay();
  const { name, revision } = useEndpointHead();
  const change = useWrite(UpdateEndpointDocument, useRefresh());
  if (!write) return <>{cadences[every] ?? every}</>;
  return (
    <>
      <select
        aria-label="Rebuilt every"
        className="compact"
        value={every}
        disabled={change.isPending}
        onChange={({ target }) =>
          change.mutate({
            projectId,
            name,
            input: { syncFrequency: target.value },
            ifMatch: [revision],
          })
        }
      >
        {Object.entries(cadences).map(([cadence, words]) => (
          <option key={cadence} value={cadence}>
            {words}
          </option>
        ))}
      </select>
      {change.error !== null && <ErrorNote error={change.error} />}
    </>
  );
}
