import { formatCount } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Button } from '../ui/parts.tsx';
import { runKey } from '../ui/run-key.ts';
import { limits, type Refresh, type RunInputs } from './run-address.ts';
import type { VariableFault } from './variable-fault.ts';
import { VariableInput } from './variable-input.tsx';
import type { VariableShape } from './variable-values.ts';

interface RunFormProps {
  readonly variables: readonly VariableShape[];
  readonly draft: RunInputs;
  /** The value that the last run was refused for, unless it has been changed since. */
  readonly fault: VariableFault | null;
  readonly onChange: (draft: RunInputs) => void;
  readonly onRun: () => void;
  readonly isRunning: boolean;
  readonly isActive: boolean;
  /** Whether there is a stored table to bypass. */
  readonly isMaterialized: boolean;
  readonly onStop: () => void;
}

const refreshes: Readonly<Record<Refresh, string>> = {
  cache: 'Use the cache',
  force: 'Recompute',
  direct: 'Recompute from source data',
};

/** The variables of a version, each with an input for its type. Enter runs, also with Ctrl. */
export function RunForm(props: RunFormProps) {
  const { variables, draft, fault, onChange, onRun, isRunning, isActive, onStop } = props;
  const setText = (name: string, text: string | undefined) => {
    const { [name]: _, ...others } = draft.texts;
    onChange({ ...draft, texts: text === undefined ? others : { ...others, [name]: text } });
  };
  return (
    <form
      className="run-form panel"
      aria-label="Run"
      onKeyDown={runKey(onRun)}
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      {variables.map((variable) => (
        <VariableInput
          key={variable.name}
          variable={variable}
          text={draft.texts[variable.name]}
          fault={fault?.name === variable.name ? fault.message : undefined}
          onChange={(text) => setText(variable.name, text)}
        />
      ))}
      {variables.length === 0 && <p className="muted small">No variables.</p>}
      <RunOptions draft={draft} onChange={onChange} isMaterialized={props.isMaterialized} />
      {draft.orderBy.length > 0 && (
        <p className="small sorted-by">
          <span>
            Sorted by <bdi>{draft.orderBy.join(', ')}</bdi>
          </span>
          <button
            type="button"
            className="text-button small"
            onClick={() => onChange({ ...draft, orderBy: [] })}
          >
            Reset order
          </button>
        </p>
      )}
      <div className="run-buttons">
        {isRunning ? (
          <Button onClick={onStop}>Stop</Button>
        ) : (
          <Button look="primary" type="submit" disabled={!isActive}>
            <Icon name="play" />
            Run
          </Button>
        )}
      </div>
    </form>
  );
}

function RunOptions({
  draft,
  onChange,
  isMaterialized,
}: Pick<RunFormProps, 'draft' | 'onChange' | 'isMaterialized'>) {
  const offered = Object.entries(refreshes).filter(
    ([refresh]) => refresh !== 'direct' || isMaterialized || draft.refresh === 'direct',
  );
  const shownLimits = [...new Set([...limits, draft.limit])].sort((a, b) => a - b);
  return (
    <div className="run-options">
      <label className="field">
        <span>Max. rows</span>
        <select
          value={draft.limit}
          onChange={({ target }) => onChange({ ...draft, limit: Number(target.value) })}
        >
          {shownLimits.map((limit) => (
            <option key={limit} value={limit}>
              {formatCount(limit)}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>Freshness</span>
        <select
          value={draft.refresh}
          onChange={({ target }) => onChange({ ...draft, refresh: target.value as Refresh })}
        >
          {offered.map(([refresh, words]) => (
            <option key={refresh} value={refresh}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
