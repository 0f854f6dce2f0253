import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { useProject } from '../shell/use-project.ts';
import { Loading, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { exampleOf, usualField } from './example-document.ts';
import {
  type GraphName,
  graphNames,
  graphOf,
  graphPath,
  noDraft,
  readDraft,
} from './graph-address.ts';
import { GraphWorkbench } from './graph-workbench.tsx';
import { useGraphSchema } from './use-graph-schema.ts';

/**
 * The page for writing and running GraphQL documents, against the project's data graph or the API that manages the
 * service.
 */
export function GraphView() {
  useTitle('GraphQL');
  const [params] = useSearchParams();
  const graph = graphOf(params);
  return (
    <div className="view">
      <PageHead
        title="GraphQL"
        about={<p>{abouts[graph]}</p>}
        actions={<GraphChoice graph={graph} />}
      />
      <OpenedGraph key={graph} graph={graph} />
    </div>
  );
}

const abouts: Readonly<Record<GraphName, string>> = {
  data: 'Every active endpoint is a field with typed rows; its variables are the arguments.',
  service: 'The API for endpoints, versions, keys and usage, which this console itself uses.',
};

function GraphChoice({ graph }: { graph: GraphName }) {
  const navigate = useNavigate();
  return (
    <fieldset className="segmented">
      <legend className="visually-hidden">Graph</legend>
      {(Object.keys(graphNames) as GraphName[]).map((one) => (
        <label key={one} className="segment">
          <input
            type="radio"
            name="graph"
            checked={one === graph}
            // The written document stays in the history.
            onChange={() => navigate({ search: one === 'data' ? '' : `graph=${one}`, hash: '' })}
          />
          {graphNames[one]}
        </label>
      ))}
    </fieldset>
  );
}

function OpenedGraph({ graph }: { graph: GraphName }) {
  const project = useProject();
  const path = graphPath(graph, project);
  const { data: schema, error, isPending } = useGraphSchema(path);
  const { hash } = useLocation();
  const example = useMemo(() => {
    const name = schema === undefined ? null : usualField(schema);
    if (schema === undefined || name === null) return noDraft;
    return exampleOf(schema, { name, projectId: project }) ?? noDraft;
  }, [schema, project]);
  const [opened, forget] = useOpenedHash(hash);
  if (isPending) return <Loading lines={8} />;
  const isSent = opened.hash !== '' && opened.hash !== '#';
  return (
    <GraphWorkbench
      key={opened.number}
      {...{ path, schema, project }}
      schemaError={error}
      initial={isSent ? readDraft(opened.hash) : example}
      isSent={isSent}
      onWritten={forget}
    />
  );
}

/** The hash with which the page was opened, and a function for hashes that the page itself writes. */
function useOpenedHash(hash: string) {
  const written = useRef(hash);
  const [opened, setOpened] = useState({ hash, number: 0 });
  useEffect(() => {
    if (hash === written.current) return;
    written.current = hash;
    setOpened(({ number }) => ({ hash, number: number + 1 }));
  }, [hash]);
  const write = (next: string) => {
    written.current = next;
  };
  return [opened, write] as const;
}
