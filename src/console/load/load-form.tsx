import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useProject } from '../shell/use-project.ts';
import { plural } from '../ui/format.ts';
import { Button } from '../ui/parts.tsx';
import { FileDrop } from './file-drop.tsx';
import { kindOfFile, loadFormats, tableNamePattern } from './file-kind.ts';
import { LoadProgress } from './load-progress.tsx';
import { LoadRefusal } from './load-refusal.tsx';
import type { LoadMode } from './send-file.ts';
import { type KnownTable, useKnownTable } from './use-known-table.ts';
import type { Loading } from './use-load.ts';

/** The file, the table, and what happens to the table's existing rows. */
export function LoadForm({ loading }: { loading: Loading }) {
  const project = useProject();
  const [params] = useSearchParams();
  const [file, setFile] = useState<File | null>(null);
  const [table, setTable] = useState(params.get('table') ?? '');
  const [format, setFormat] = useState('');
  const [chosen, setChosen] = useState<LoadMode>('append');
  const known = useKnownTable(project, table);
  const { state, start, reset } = loading;
  const isRunning = state.kind === 'running';
  const mode = known.exists === false ? 'create' : chosen;
  const choose = (next: File) => {
    const kind = kindOfFile(next.name);
    setFile(next);
    if (kind.format !== '') setFormat(kind.format);
    if (table === '') setTable(kind.table);
    reset();
  };
  const load = (force: boolean) => {
    if (file !== null) start({ projectId: project, table, file, format, mode, force });
  };
  const isReady = file !== null && format !== '' && table !== '' && !known.isLooking;
  return (
    <form
      className="panel padded stack load-form"
      aria-label="Load"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isRunning) load(false);
      }}
    >
      <FileDrop file={file} onFile={choose} disabled={isRunning} />
      <div className="load-fields">
        <label className="field">
          <span>Table</span>
          <input
            required
            pattern={tableNamePattern}
            title="A letter, then letters, digits and underscores"
            autoComplete="off"
            spellCheck={false}
            disabled={isRunning}
            value={table}
            onChange={({ target }) => {
              setTable(target.value);
              reset();
            }}
          />
        </label>
        <label className="field">
          <span>Format</span>
          <select
            required
            disabled={isRunning}
            value={format}
            onChange={({ target }) => setFormat(target.value)}
          >
            {format === '' && <option value="">Choose…</option>}
            {Object.entries(loadFormats).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ModeChoice known={known} mode={mode} onChange={setChosen} disabled={isRunning} />
      {state.kind === 'refused' && (
        <LoadRefusal
          error={state.error}
          file={file}
          onForce={state.error.attr === 'force' ? () => load(true) : null}
        />
      )}
      {state.kind === 'stopped' && (
        <p role="status" className="muted">
          {state.isCertain
            ? 'Stopped. No rows were loaded.'
            : 'Stopped while the service was loading, possibly too late. Check the table.'}
        </p>
      )}
      {state.kind === 'running' && file !== null ? (
        <LoadProgress {...state} total={file.size} onStop={loading.stop} />
      ) : (
        <div>
          <Button look="primary" type="submit" disabled={!isReady}>
            Load
          </Button>
        </div>
      )}
    </form>
  );
}

interface ModeChoiceProps {
  readonly known: KnownTable;
  readonly mode: LoadMode;
  readonly onChange: (mode: LoadMode) => void;
  readonly disabled: boolean;
}

const modes: Readonly<Record<Exclude<LoadMode, 'create'>, string>> = {
  append: 'Add the rows to the table',
  replace: 'Replace all rows and columns of the table',
};

/** Only for a table that exists, or may exist. */
function ModeChoice({ known, mode, onChange, disabled }: ModeChoiceProps) {
  if (known.exists === false)
    return (
      <p className="muted small">
        There is no such table yet. It is made with the columns and types of the data.
      </p>
    );
  if (known.exists === null && known.isLooking) return null;
  return (
    <fieldset className="load-modes" disabled={disabled}>
      <legend>{wordsOf(known)}</legend>
      {Object.entries(modes).map(([one, words]) => (
        <label key={one} className="check">
          <input
            type="radio"
            name="mode"
            value={one}
            checked={one === mode}
            onChange={() => onChange(one as LoadMode)}
          />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

function wordsOf({ exists, rows }: KnownTable): string {
  if (exists === null) return 'The service did not say whether the table exists. If it does:';
  return rows === null ? 'The table exists.' : `The table exists and has ${plural(rows, 'row')}.`;
}
