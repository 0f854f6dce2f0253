import { useEffect, useMemo, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useApi } from '../api/use-api.ts';
import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import { VersionHeadDocument } from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import { ErrorNote, Loading, Note } from '../ui/parts.tsx';
import { ResultPanel } from './result-panel.tsx';
import { type RunInputs, readInputs, writeInputs } from './run-address.ts';
import { RunForm } from './run-form.tsx';
import { useRun } from './use-run.ts';
import { variableFault } from './variable-fault.ts';
import { missingVariables, toVariables, type VariableShape } from './variable-values.ts';

interface Runnable {
  readonly variables: readonly VariableShape[];
  readonly isActive: boolean;
  readonly isMaterialized: boolean;
}

/** Runs the endpoint, or the version in the URL. */
export function RunView() {
  const endpoint = useEndpointHead();
  const [params] = useSearchParams();
  const { version } = readInputs(params, []);
  const project = useProject();
  const other = useApi(
    VersionHeadDocument,
    { projectId: project, name: endpoint.name, version: version ?? 1 },
    { enabled: version !== null },
  );
  if (version === null) return <Runner key="current" shape={endpoint} />;
  if (other.error !== null) return <ErrorNote error={other.error} />;
  const found = other.data?.endpointVersion;
  if (found === null || found === undefined) return <Loading lines={6} />;
  return (
    <Runner key={version} shape={{ ...found, isActive: endpoint.isActive && found.isActive }} />
  );
}

/** Runs automatically as soon as nothing is missing, because people prefer looking to clicking. */
function Runner({ shape }: { shape: Runnable }) {
  const { name, isActive } = useEndpointHead();
  const project = useProject();
  const [params, setParams] = useSearchParams();
  const asText = params.toString();
  const inputs = useMemo(
    () => readInputs(new URLSearchParams(asText), shape.variables),
    [asText, shape.variables],
  );
  const [draft, setDraft] = useState<RunInputs>(inputs);
  // The form follows the URL, for example after going back; a change of only the view keeps what is being typed.
  const given = JSON.stringify(inputs);
  useEffect(() => setDraft(JSON.parse(given) as RunInputs), [given]);
  const { version, limit, refresh, texts, orderBy } = inputs;
  const variables = toVariables(shape.variables, texts);
  const isReady = shape.isActive && missingVariables(shape.variables, texts).length === 0;
  const target = useMemo(() => ({ projectId: project, endpoint: name }), [project, name]);
  const sorted = orderBy.length === 0 ? {} : { orderBy };
  const run = useRun(target, { variables, version, limit, refresh, ...sorted }, isReady);
  const fault = variableFault(run.error);
  const start = () => {
    const next = writeInputs(params, draft);
    if (next.toString() === asText) run.again();
    else setParams(next);
  };
  return (
    <div className="run">
      <RunForm
        variables={shape.variables}
        draft={draft}
        fault={fault !== null && draft.texts[fault.name] === texts[fault.name] ? fault : null}
        onChange={setDraft}
        onRun={start}
        isRunning={run.isRunning}
        isActive={shape.isActive}
        isMaterialized={shape.isMaterialized}
        onStop={run.stop}
      />
      <div className="run-result">
        <OtherVersion version={version} params={params} />
        {!shape.isActive && (
          <Note tone="warn">
            <p>
              {isActive ? 'This version' : 'This endpoint'} is inactive: runs are refused until it
              is activated.
            </p>
          </Note>
        )}
        <ResultPanel
          run={run}
          waiting={isReady ? null : waitingFor(shape, texts)}
          copied={{ projectId: project, name, version, limit, variables, orderBy }}
          order={{
            orderBy,
            onChange: (next) => setParams(writeInputs(params, { ...inputs, orderBy: next })),
          }}
        />
      </div>
    </div>
  );
}

/** Says that these are not the current version's rows, and leads there with the same values. */
function OtherVersion({ version, params }: { version: number | null; params: URLSearchParams }) {
  const { currentVersion } = useEndpointHead();
  if (version === null || version === currentVersion) return null;
  const current = new URLSearchParams(params);
  current.delete('version');
  return (
    <Note tone="accent">
      <p className="other-version">
        <strong>
          Version {version} of {currentVersion}
        </strong>
        <Link to={{ search: current.toString() }}>Current version</Link>
      </p>
    </Note>
  );
}

function waitingFor({ variables, isActive }: Runnable, texts: RunInputs['texts']): string {
  const missing = missingVariables(variables, texts);
  return isActive && missing.length > 0 ? `Enter ${missing.join(', ')} to see rows.` : '';
}
