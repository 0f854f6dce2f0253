import { useMemo, useState } from 'react';
import { plural } from '../ui/format.ts';
import type { GraphDraft } from './graph-address.ts';
import type { GraphCheck } from './use-graph-check.ts';

interface GraphSideProps {
  readonly draft: GraphDraft;
  readonly check: GraphCheck;
  /** The schema's documentation at the cursor. */
  readonly about: string;
  readonly fields: readonly string[];
  readonly onBegin: (field: string) => void;
  readonly onVariables: (text: string) => void;
}

/** The page size of a list; others are found by a part of their names. */
const mostFields = 500;
/** From this number on, searching is easier than browsing. */
const manyFields = 30;

/** Variables, initial fields, and documentation at the cursor. */
export function GraphSide({ draft, check, about, fields, onBegin, onVariables }: GraphSideProps) {
  const declared = check.chosen?.variableDefinitions ?? [];
  const [signature = '', ...words] = about.split('\n\n');
  return (
    <aside className="edit-side" aria-label="Document">
      <section className="panel padded stack">
        <BeginWith fields={fields} onBegin={onBegin} />
      </section>
      <section className="panel padded stack">
        <label className="field">
          <span>Variables, as JSON</span>
          <textarea
            rows={Math.min(10, Math.max(3, draft.variables.split('\n').length))}
            spellCheck={false}
            placeholder={declared.length === 0 ? 'None' : '{}'}
            value={draft.variables}
            aria-describedby="variable-faults"
            onChange={({ target }) => onVariables(target.value)}
          />
        </label>
        <div id="variable-faults" role="status">
          {check.variableFaults.map((fault) => (
            <p key={fault} className="small fault">
              <bdi>{fault}</bdi>
            </p>
          ))}
        </div>
      </section>
      <section className="panel padded stack">
        <h2>At the cursor</h2>
        {signature === '' ? (
          <p className="muted small">What the schema says about a field, an argument or a type.</p>
        ) : (
          <div className="schema-note">
            <code>{signature}</code>
            {words.length > 0 && <p>{words.join('\n\n')}</p>}
          </div>
        )}
      </section>
    </aside>
  );
}

/** Every field of the schema can be found here, however many there are. */
function BeginWith({ fields, onBegin }: Pick<GraphSideProps, 'fields' | 'onBegin'>) {
  const [wanted, setWanted] = useState('');
  const found = useMemo(() => {
    const text = wanted.trim().toLowerCase();
    return text === '' ? fields : fields.filter((name) => name.toLowerCase().includes(text));
  }, [fields, wanted]);
  const left = found.length - mostFields;
  return (
    <>
      <label className="field">
        <span>Begin with</span>
        <select value="" onChange={({ target }) => onBegin(target.value)}>
          <option value="" disabled>
            Choose a field…
          </option>
          {found.slice(0, mostFields).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {fields.length > manyFields && (
        <>
          <label className="field">
            <span>Only fields with</span>
            <input
              type="search"
              placeholder="a part of the name"
              value={wanted}
              onChange={({ target }) => setWanted(target.value)}
            />
          </label>
          <p className="muted small" role="status">
            {plural(found.length, 'field')}
            {left > 0 && `, of which the first ${mostFields} are listed`}
          </p>
        </>
      )}
    </>
  );
}
