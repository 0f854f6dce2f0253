import { type GraphQLSchema, Kind } from 'graphql';
import { useEffect, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import type { ApiError } from '../api/client.ts';
import { copyText } from '../ui/copy-text.ts';
import { Icon } from '../ui/icons.tsx';
import { Button, ErrorNote } from '../ui/parts.tsx';
import { useSettled } from '../ui/use-settled.ts';
import { exampleOf, rootFields } from './example-document.ts';
import { type GraphDraft, writeDraft } from './graph-address.ts';
import { GraphEditor } from './graph-editor.tsx';
import { GraphResult } from './graph-result.tsx';
import { GraphSide } from './graph-side.tsx';
import { checkDraft, type GraphCheck, useGraphCheck } from './use-graph-check.ts';
import { useGraphRun } from './use-graph-run.ts';

interface GraphWorkbenchProps {
  readonly path: string;
  readonly project: string;
  readonly schema: GraphQLSchema | undefined;
  /** Why there is no schema. */
  readonly schemaError: ApiError | null;
  readonly initial: GraphDraft;
  /** Whether the document came from the URL: a query is then run at once. */
  readonly isSent: boolean;
  /** Called with the hash that the page writes into its URL. */
  readonly onWritten: (hash: string) => void;
}

/** A document, its variables, and the response. */
export function GraphWorkbench(props: GraphWorkbenchProps) {
  const { path, project, schema, schemaError, initial, isSent, onWritten } = props;
  const [draft, setDraft] = useState(initial);
  const [replacement, setReplacement] = useState<{ readonly text: string } | null>(null);
  const [about, setAbout] = useState('');
  const check = useGraphCheck(useSettled(draft, 200), schema);
  const { run, start, stop } = useGraphRun();
  const change = (part: Partial<GraphDraft>) => setDraft((before) => ({ ...before, ...part }));
  useWrittenAddress(draft, onWritten);
  const send = () => {
    // The cached check may be slightly outdated.
    const { chosen, operations } = checkDraft(draft, undefined);
    const kind = chosen?.operation ?? 'query';
    const operation = operations.length > 1 ? (chosen?.name?.value ?? '') : '';
    const { document, variables } = draft;
    const isSubscription = kind === 'subscription';
    start({ path, document, variables, operation, isSubscription }, kind === 'mutation');
  };
  useRunOnce(isSent && isQuery(check), send);
  const begin = (name: string) => {
    const next = schema === undefined ? null : exampleOf(schema, { name, projectId: project });
    if (next === null) return;
    setDraft(next);
    setReplacement({ text: next.document });
  };
  const sort = (document: string) => {
    const { latest } = run;
    if (latest === null) return;
    // Keeps what was written since.
    if (draft.document === latest.document) {
      change({ document });
      setReplacement({ text: document });
    }
    start({ ...latest, document }, false);
  };
  return (
    <div className="edit">
      <div className="edit-main">
        {schemaError !== null && (
          <ErrorNote error={schemaError} title="No completions: the schema is not available" />
        )}
        <div className="panel editor-panel">
          <GraphEditor
            initial={initial.document}
            schema={schema}
            replacement={replacement}
            onChange={(document) => change({ document })}
            onPlace={setAbout}
            onRun={send}
          />
          <CheckLine check={check} hasSchema={schema !== undefined} />
        </div>
        <div className="edit-buttons">
          {run.isRunning ? (
            <Button onClick={stop}>Stop</Button>
          ) : (
            <Button look="primary" onClick={send} disabled={check.document === null}>
              <Icon name="play" />
              Run
            </Button>
          )}
          <kbd>Ctrl Enter</kbd>
          <OperationChoice check={check} draft={draft} onChange={change} />
          <CopyLink />
        </div>
        <GraphResult project={project} run={run} schema={schema} onOrder={sort} />
      </div>
      <GraphSide
        draft={draft}
        check={check}
        about={about}
        fields={schema === undefined ? [] : rootFields(schema)}
        onBegin={begin}
        onVariables={(variables) => change({ variables })}
      />
    </div>
  );
}

/** Documents from a URL may only read automatically. */
function isQuery({ chosen, document, faults, variableFaults }: GraphCheck): boolean {
  const isReading = document?.definitions.every(
    (one) => one.kind !== Kind.OPERATION_DEFINITION || one.operation === 'query',
  );
  const isRight = faults.length === 0 && variableFaults.length === 0;
  return isReading === true && isRight && chosen !== null;
}

function useRunOnce(isWanted: boolean, run: () => void): void {
  const isDone = useRef(false);
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!isWanted || isDone.current) return;
    isDone.current = true;
    latest.current();
  }, [isWanted]);
}

/** Writes the draft into the URL, after a short delay. */
function useWrittenAddress(draft: GraphDraft, onWritten: (hash: string) => void): void {
  const [initial] = useState(draft);
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const search = params.toString();
  const settled = useSettled(draft, 400);
  const latest = useRef({ search, navigate, onWritten });
  latest.current = { search, navigate, onWritten };
  useEffect(() => {
    if (settled === initial) return;
    const hash = writeDraft(settled);
    latest.current.onWritten(hash);
    void latest.current.navigate({ search: latest.current.search, hash }, { replace: true });
  }, [settled, initial]);
}

function CheckLine({ check, hasSchema }: { check: GraphCheck; hasSchema: boolean }) {
  const { document, faults } = check;
  const [first, ...others] = faults;
  if (first !== undefined)
    return (
      <p className="check-line bad" role="status">
        <bdi>{first}</bdi>
        {others.length > 0 && <span>{`and ${others.length} more`}</span>}
      </p>
    );
  if (document === null)
    return (
      <p className="check-line muted" role="status">
        Write a document. Ctrl-Space completes.
      </p>
    );
  return (
    <p className="check-line" role="status">
      {hasSchema ? 'Valid' : 'Not checked against the schema'}
    </p>
  );
}

interface OperationChoiceProps {
  readonly check: GraphCheck;
  readonly draft: GraphDraft;
  readonly onChange: (part: Partial<GraphDraft>) => void;
}

function OperationChoice({ check: { operations, chosen }, onChange }: OperationChoiceProps) {
  if (operations.length < 2) return null;
  return (
    <label className="operation-choice">
      <span className="small muted">Operation</span>
      <select
        value={chosen?.name?.value ?? ''}
        onChange={({ target }) => onChange({ operation: target.value })}
      >
        {operations.map((name) => (
          <option key={name} value={name}>
            {name === '' ? 'without a name' : name}
          </option>
        ))}
      </select>
    </label>
  );
}

function CopyLink() {
  const [notice, setNotice] = useState('');
  return (
    <>
      <span className="muted small last" role="status">
        {notice}
      </span>
      <Button
        look="quiet"
        onClick={() => void copyText(location.href).then(() => setNotice('Link copied'))}
      >
        <Icon name="copy" />
        Copy link
      </Button>
    </>
  );
}
