import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../api/scopes.ts';
import { useWrite } from '../api/use-api.ts';
import { IssueKeyDocument } from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import { copyText } from '../ui/copy-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button, ErrorNote, Note } from '../ui/parts.tsx';

const scopes: Readonly<Record<string, string>> = {
  'endpoint:read': 'Runs endpoints and reads their definitions',
  'endpoint:write': 'Also changes endpoints',
  'data:write': 'Loads rows into tables',
  admin: 'Everything',
};

/** Issues a key for this project, or several. Its secret is shown once. */
export function IssueKey({ onClose }: { onClose: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const [label, setLabel] = useState('');
  const [chosenScopes, setScopes] = useState<readonly string[]>(['endpoint:read']);
  const [chosenProjects, setProjects] = useState<readonly string[]>([project]);
  const [expires, setExpires] = useState('');
  const offered = useOfferedProjects(project);
  const isReady = chosenScopes.length > 0 && chosenProjects.length > 0;
  const issue = useWrite(IssueKeyDocument, () =>
    queryClient.invalidateQueries({ queryKey: ['Keys'] }),
  );
  const secret = issue.data?.createApiKey.key;
  return (
    <Dialog open onClose={onClose} title={secret === undefined ? 'New key' : 'The new key'}>
      {secret === undefined ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            const expiresAt = expires === '' ? null : `${expires}T23:59:59.999Z`;
            const projectIds = chosenProjects.map(Number);
            issue.mutate({ input: { label, scopes: chosenScopes, projectIds, expiresAt } });
          }}
        >
          <label className="field">
            <span>Label</span>
            <input required value={label} onChange={({ target }) => setLabel(target.value)} />
          </label>
          <Choices
            legend="Scopes"
            offered={Object.entries(scopes).map(([name, words]) => ({ name, words }))}
            chosen={chosenScopes}
            onChange={setScopes}
          />
          {offered.length > 1 && (
            <Choices
              legend="Projects"
              offered={offered}
              chosen={chosenProjects}
              onChange={setProjects}
            />
          )}
          {chosenProjects.length > 1 && (
            <p className="muted small">
              It may do the same in each. Issue one key a project where that differs.
            </p>
          )}
          <label className="field">
            <span>Valid through the end of this day, in UTC (without end when empty)</span>
            <input
              type="date"
              value={expires}
              onChange={({ target }) => setExpires(target.value)}
            />
          </label>
          {issue.error !== null && <ErrorNote error={issue.error} />}
          <div className="dialog-buttons">
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" type="submit" busy={issue.isPending} disabled={!isReady}>
              Issue
            </Button>
          </div>
        </form>
      ) : (
        <Secret secret={secret} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface Choice {
  readonly name: string;
  readonly words: string;
}

/** The session key's projects, plus the shown one, which an administrator's key may see without listing it. */
function useOfferedProjects(project: string): readonly Choice[] {
  const { projects } = useSession();
  const own = projects.map(({ id, name }) => ({ name: id, words: name }));
  return own.some(({ name }) => name === project) ? own : [...own, { name: project, words: '' }];
}

interface ChoicesProps {
  readonly legend: string;
  readonly offered: readonly Choice[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function Choices({ legend, offered, chosen, onChange }: ChoicesProps) {
  return (
    <fieldset className="choices-of-key">
      <legend>{legend}</legend>
      {offered.map(({ name, words }) => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />
          <span>
            <code>{name}</code>{' '}
            <span className="muted small">
              <bdi>{words}</bdi>
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <>
      <Note tone="warn">
        <p>Copy it now: it will not be shown again.</p>
      </Note>
      <div className="secret">
        <input readOnly aria-label="Key" value={secret} onFocus={({ target }) => target.select()} />
        <Button onClick={() => void copyText(secret).then(() => setCopied(true))}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </div>
      <div className="dialog-buttons">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}
