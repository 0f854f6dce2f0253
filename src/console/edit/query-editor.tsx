import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { EndpointHead } from '../endpoints/endpoint-frame.tsx';
import { ResultPanel } from '../run/result-panel.tsx';
import { type RunTarget, useRun } from '../run/use-run.ts';
import { missingVariables, type TypedTexts, toVariables } from '../run/variable-values.ts';
import { useProject } from '../shell/use-project.ts';
import { Icon } from '../ui/icons.tsx';
import { Button, Loading } from '../ui/parts.tsx';
import { CheckLine } from './check-line.tsx';
import { type Definition, toQuery } from './definition.ts';
import { EditSide } from './edit-side.tsx';
import { nameFault } from './endpoint-name.ts';
import { type Explained, ExplainPanel } from './explain-panel.tsx';
import { SaveDialog, type Settings } from './save-dialog.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { useCheck } from './use-check.ts';
import { useFunctions } from './use-functions.ts';
import { useTables } from './use-tables.ts';

const SqlEditor = lazy(async () => ({ default: (await import('./sql-editor.tsx')).SqlEditor }));

interface QueryEditorProps {
  /** Null for a new one. */
  readonly endpoint: EndpointHead | null;
  readonly initial: Definition;
  /** Called with whether there are unsaved changes. */
  readonly onChanged?: (isChanged: boolean) => void;
}

/** A query with its inputs and outputs, run without being saved. */
export function QueryEditor({ endpoint, initial, onChanged }: QueryEditorProps) {
  const project = useProject();
  const [definition, setDefinition] = useState(initial);
  const [settings, setSettings] = useState(settingsOf(endpoint));
  const isSaved = useRef(false);
  const isChanged = !isSame(definition, initial) || !isSame(settings, settingsOf(endpoint));
  useEffect(() => onChanged?.(isChanged), [isChanged, onChanged]);
  const [texts, setTexts] = useState<TypedTexts>({});
  const [isSaving, setSaving] = useState(false);
  const state = useCheck(project, definition, texts);
  const read = state.check?.tables ?? [];
  const functions = useFunctions(project);
  const tables = useTables(
    project,
    read.map(({ name }) => name),
  );
  const variables = state.check?.variables ?? [];
  const trial = useTrial(project);
  const unnamed = endpoint === null ? nameFault(settings.name) : null;
  const missing = missingVariables(variables, texts);
  const [explained, setExplained] = useState<Explained | null>(null);
  const current = (): Explained => ({
    query: toQuery(definition, state.check?.variables ?? null),
    variables: toVariables(variables, texts),
  });
  const run = () => {
    if (missing.length === 0) trial.start(current());
  };
  const explain = () => setExplained(current());
  return (
    <div className="edit">
      <div className="edit-main">
        <div className="panel editor-panel">
          <Suspense fallback={<Loading lines={6} />}>
            <SqlEditor
              initial={initial.query}
              names={{ ...tables, functions }}
              fault={state.fault}
              onChange={(query) => setDefinition((before) => ({ ...before, query }))}
              onRun={run}
            />
          </Suspense>
          <CheckLine state={state} />
        </div>
        <div className="edit-buttons">
          <Button onClick={run} disabled={state.check === null || missing.length > 0}>
            <Icon name="play" />
            Run without saving
          </Button>
          {trial.run.isRunning ? (
            <Button onClick={trial.run.stop}>Stop</Button>
          ) : (
            <kbd>Ctrl Enter</kbd>
          )}
          <Button onClick={explain} disabled={state.check === null || missing.length > 0}>
            Explain
          </Button>
          {missing.length > 0 && (
            <span className="small muted">Enter {missing.join(', ')} to run.</span>
          )}
          <div className="edit-save">
            {unnamed !== null && (
              <span className="small muted" id="unnamed">
                {unnamed}
              </span>
            )}
            <Button
              look="primary"
              disabled={state.check === null || state.fault !== null || unnamed !== null}
              aria-describedby={unnamed === null ? undefined : 'unnamed'}
              onClick={() => setSaving(true)}
            >
              {endpoint === null ? 'Create…' : 'Save…'}
            </Button>
          </div>
        </div>
        {explained !== null && (
          <ExplainPanel
            projectId={project}
            explained={explained}
            onClose={() => setExplained(null)}
          />
        )}
        {trial.isStarted && <ResultPanel run={trial.run} waiting={null} order={trial.order} />}
      </div>
      <EditSide
        {...{ settings, setSettings, definition, setDefinition, texts, setTexts, state }}
        endpoint={endpoint}
        isChanged={isChanged}
        onRun={run}
      />
      <UnsavedGuard isChanged={isChanged} isSaved={isSaved} />
      {isSaving && (
        <SaveDialog
          endpoint={endpoint}
          query={toQuery(definition, state.check?.variables ?? null)}
          settings={settings}
          texts={texts}
          after={state.check}
          onSaved={() => {
            isSaved.current = true;
          }}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  );
}

function settingsOf(endpoint: EndpointHead | null): Settings {
  if (endpoint === null) return { name: '', description: '', labels: '', cacheAge: '' };
  const { name, description, tags, cacheAgeSeconds } = endpoint;
  return { name, description, labels: tags.join(', '), cacheAge: String(cacheAgeSeconds ?? '') };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Runs the query that was last passed, sorted by the engine as its table requests. */
function useTrial(projectId: string) {
  const [given, setGiven] = useState<Explained | null>(null);
  const [orderBy, setOrderBy] = useState<readonly string[]>([]);
  const target: RunTarget = useMemo(
    () => ({ projectId, query: given?.query ?? '' }),
    [projectId, given],
  );
  const sorted = orderBy.length === 0 ? {} : { orderBy };
  const input = { variables: given?.variables ?? {}, limit: 200, ...sorted };
  const run = useRun(target, input, given !== null);
  return {
    run,
    order: { orderBy, onChange: setOrderBy },
    isStarted: given !== null,
    start: (next: Explained) => {
      setGiven(next);
      setOrderBy([]);
      run.again();
    },
  };
}
