import type { GraphDraft } from './graph-address.ts';
import type { GraphCheck } from './use-graph-check.ts';

interface GraphSideProps {
  readonly draft: GraphDraft;
  readonly check: GraphCheck;
  /** What the schema tells about the place of the cursor. */
  readonly about: string;
  readonly fields: readonly string[];
  readonly onBegin: (field: string) => void;
  readonly onVariables: (text: string) => void;
}

/** More are found by completion. */
const mostFields = 500;

/** Variables, where to begin, and what stands at the cursor. */
export function GraphSide({ draft, check, about, fields, onBegin, onVariables }: GraphSideProps) {
  const declared = check.chosen?.variableDefinitions ?? [];
  const [signature = '', ...words] = about.split('\n\n');
  return (
    <aside className="edit-side" aria-label="Document">
      <section className="panel padded stack">
        <label className="field">
          <span>Begin with</span>
          <select value="" onChange={({ target }) => onBegin(target.value)}>
            <option value="" disabled>
              Choose a field…
            </option>
            {fields.slice(0, mostFields).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </section>
      <section className="panel padded stack">
        <label className="field">
          <span>Variables, as JSON</span>
          <textarea
            rows={Math.min(10, Math.max(3, draft.variables.split('\n').length))}
            spellCheck={false}
            placeholder={declared.length === 0 ? 'It has none' : '{}'}
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
