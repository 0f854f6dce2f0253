import type { Dispatch, SetStateAction } from 'react';
import type { EndpointHead } from '../endpoints/endpoint-frame.tsx';
import { kindOf } from '../run/clickhouse-types.ts';
import { VariableInput } from '../run/variable-input.tsx';
import { readDescription } from '../run/variable-options.ts';
import type { TypedTexts, VariableShape } from '../run/variable-values.ts';
import { ColumnList } from '../ui/column-list.tsx';
import { runKey } from '../ui/run-key.ts';
import { DefaultInput } from './default-input.tsx';
import {
  type Definition,
  defaultText,
  definitionOf,
  withDefault,
  withDescription,
} from './definition.ts';
import { EndpointActions } from './endpoint-actions.tsx';
import { nameFault } from './endpoint-name.ts';
import type { Settings } from './save-dialog.tsx';
import type { CheckState } from './use-check.ts';

interface EditSideProps {
  /** Null for a new one. */
  readonly endpoint: EndpointHead | null;
  readonly isChanged: boolean;
  readonly settings: Settings;
  readonly setSettings: Dispatch<SetStateAction<Settings>>;
  readonly definition: Definition;
  readonly setDefinition: Dispatch<SetStateAction<Definition>>;
  readonly texts: TypedTexts;
  readonly setTexts: Dispatch<SetStateAction<TypedTexts>>;
  readonly state: CheckState;
  /** Ctrl-Enter in an input of a variable. */
  readonly onRun: () => void;
}

/** The endpoint's name, inputs and outputs. */
export function EditSide(props: EditSideProps) {
  const { endpoint, isChanged, settings, setSettings, state } = props;
  const change = (part: Partial<Settings>) => setSettings((before) => ({ ...before, ...part }));
  return (
    <aside className="edit-side" aria-label="Endpoint">
      <section className="panel padded stack">
        {endpoint === null && (
          <label className="field">
            <span>Name</span>
            <input
              required
              aria-invalid={settings.name !== '' && nameFault(settings.name) !== null}
              placeholder="flights_per_day"
              value={settings.name}
              onChange={({ target }) => change({ name: target.value })}
            />
          </label>
        )}
        <label className="field">
          <span>Description</span>
          <textarea
            rows={3}
            className="plain-text"
            value={settings.description}
            onChange={({ target }) => change({ description: target.value })}
          />
        </label>
        <label className="field">
          <span>Labels, separated by commas</span>
          <input
            value={settings.labels}
            onChange={({ target }) => change({ labels: target.value })}
          />
        </label>
        <label className="field">
          <span>Results stay cached for, in seconds</span>
          <input
            type="number"
            min={0}
            max={86_400}
            step={1}
            placeholder="default of the service"
            value={settings.cacheAge}
            onChange={({ target }) => change({ cacheAge: target.value })}
          />
        </label>
      </section>
      <Variables {...props} variables={state.check?.variables ?? []} />
      <section className="panel padded stack">
        <h2>Columns</h2>
        <ColumnList columns={state.check?.columns ?? []} />
      </section>
      {endpoint !== null && <EndpointActions endpoint={endpoint} isChanged={isChanged} />}
    </aside>
  );
}

function Variables(props: EditSideProps & { readonly variables: readonly VariableShape[] }) {
  const { variables, texts, setTexts, definition, setDefinition, state, onRun } = props;
  if (variables.length === 0) return null;
  const setText = (name: string, text: string | undefined) =>
    setTexts((given) => {
      const { [name]: _, ...others } = given;
      return text === undefined ? others : { ...others, [name]: text };
    });
  return (
    <form
      className="panel padded stack"
      aria-label="Variables"
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={runKey(onRun)}
    >
      <h2>Variables</h2>
      {variables.map((variable) => {
        const { name } = variable;
        const standard = defaultText(definition, variable);
        return (
          <div key={name} className="edit-variable">
            <VariableInput
              variable={variable}
              text={texts[name]}
              fault={state.refused.get(name)}
              onChange={(text) => setText(name, text)}
            />
            <details>
              <summary className="small">Default and description</summary>
              <div className="stack">
                <label className="check small">
                  <input
                    type="checkbox"
                    checked={standard !== undefined}
                    onChange={({ target }) =>
                      setDefinition((before) =>
                        withDefault(
                          before,
                          variable,
                          target.checked ? (texts[name] ?? usualDefault(variable.type)) : undefined,
                        ),
                      )
                    }
                  />
                  Optional
                </label>
                {standard !== undefined && (
                  <DefaultInput
                    variable={variable}
                    standard={standard}
                    onChange={(text) =>
                      setDefinition((before) => withDefault(before, variable, text))
                    }
                  />
                )}
                <label className="field">
                  <span>Description of {name}</span>
                  <input
                    value={definitionOf(definition, name).description ?? ''}
                    onChange={({ target }) =>
                      setDefinition((before) => withDescription(before, name, target.value))
                    }
                  />
                  <span className="muted small">
                    {offered(definitionOf(definition, name).description ?? '')}
                  </span>
                </label>
              </div>
            </details>
          </div>
        );
      })}
    </form>
  );
}

/** Text of the default of a variable without a value, until another one is entered. */
function usualDefault(type: string): string {
  return kindOf(type) === 'boolean' ? 'false' : '';
}

function offered(description: string): string {
  const { options } = readDescription(description);
  if (options === null)
    return 'End it with "Options: endpoint.column (label)" to offer its values.';
  const { endpoint, column, label } = options;
  const labelled = label === null ? '' : `, with ${label} beside it`;
  return `Offers ${column ?? 'the first column'} of ${endpoint}${labelled}.`;
}
