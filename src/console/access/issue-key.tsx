import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useWrite } from '../api/use-api.ts';
import { IssueKeyDocument } from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import { copyText } from '../ui/copy-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button, ErrorNote, Note } from '../ui/parts.tsx';

const scopes: Readonly<Record<string, string>> = {
  'endpoint:read': 'Runs endpoints and reads what they are',
  'endpoint:write': 'Changes endpoints, too',
  'data:write': 'Loads rows into tables',
  admin: 'Everything',
};

/** A key for this project. Its secret is shown once. */
export function IssueKey({ onClose }: { onClose: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const [label, setLabel] = useState('');
  const [scope, setScope] = useState('endpoint:read');
  const [expires, setExpires] = useState('');
  const issue = useWrite(IssueKeyDocument, () =>
    queryClient.invalidateQueries({ queryKey: ['Keys'] }),
  );
  const secret = issue.data?.createApiKey.key;
  if (secret !== undefined) return <Secret secret={secret} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title="New key for this project">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const expiresAt = expires === '' ? null : `${expires}T00:00:00Z`;
          const projectIds = [Number(project)];
          issue.mutate({ input: { label, scopes: [scope], projectIds, expiresAt } });
        }}
      >
        <label className="field">
          <span>What it is for</span>
          <input required value={label} onChange={({ target }) => setLabel(target.value)} />
        </label>
        <label className="field">
          <span>What it may do</span>
          <select value={scope} onChange={({ target }) => setScope(target.value)}>
            {Object.entries(scopes).map(([name, words]) => (
              <option key={name} value={name}>
                {name}: {words}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Expires on (never when empty)</span>
          <input type="date" value={expires} onChange={({ target }) => setExpires(target.value)} />
        </label>
        {issue.error !== null && <ErrorNote error={issue.error} />}
        <div className="dialog-buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={issue.isPending}>
            Issue
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Dialog open onClose={onClose} title="The new key">
      <Note tone="warn">
        <p>It is shown only now. Copy it to where it is used.</p>
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
    </Dialog>
  );
}
