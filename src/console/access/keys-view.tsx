import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, useSession } from '../api/scopes.ts';
import { useWrite } from '../api/use-api.ts';
import { usePages } from '../api/use-pages.ts';
import { KeysDocument, type KeysQuery, RevokeKeyDocument } from '../generated/graphql.ts';
import { Dialog } from '../ui/dialog.tsx';
import { plural } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { MoreRows } from '../ui/more-rows.tsx';
import { Ago, Badge, Button, Empty, ErrorNote, Loading, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { IssueKey } from './issue-key.tsx';

type Key = NonNullable<KeysQuery['apiKeys']>['edges'][number]['node'];

const pageRows = 100;

/** All keys, without their secrets; for administrators. */
export function KeysView() {
  useTitle('Keys');
  const { admin } = useMay();
  if (admin) return <Keys />;
  return (
    <Empty title="This key may not see keys">
      <p>This requires the scope admin.</p>
    </Empty>
  );
}

function Keys() {
  const [isIssuing, setIssuing] = useState(false);
  const keys = usePages(KeysDocument, { first: pageRows }, ({ apiKeys }) => apiKeys);
  const { rows, error } = keys;
  return (
    <div className="view">
      <PageHead
        title="Keys"
        actions={
          <Button look="primary" onClick={() => setIssuing(true)}>
            <Icon name="plus" />
            New key
          </Button>
        }
      />
      {error !== null && <ErrorNote error={error} />}
      {rows === undefined && error === null && <Loading lines={6} />}
      {rows !== undefined && (
        <div className="panel table-scroll" role="region" aria-label="Keys" tabIndex={0}>
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Scopes</th>
                <th scope="col">Projects</th>
                <th scope="col">Last used</th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((node) => (
                <KeyRow key={node.id} apiKey={node} />
              ))}
            </tbody>
          </table>
          <MoreRows pages={keys} words={`More of ${plural(keys.total, 'key')}`} />
        </div>
      )}
      {isIssuing && <IssueKey onClose={() => setIssuing(false)} />}
    </div>
  );
}

function KeyRow({ apiKey }: { apiKey: Key }) {
  const [isConfirming, setConfirming] = useState(false);
  const session = useSession();
  const queryClient = useQueryClient();
  const revoke = useWrite(RevokeKeyDocument, async () => {
    await queryClient.invalidateQueries({ queryKey: ['Keys'] });
    setConfirming(false);
  });
  const { id, label, prefix, owner, scopes, projects, lastUsedAt, revokedAt, expiresAt } = apiKey;
  return (
    <tr>
      <td>
        <bdi>{label}</bdi>
        <p className="muted small">
          <code>{prefix}…</code> of <bdi>{owner.email}</bdi>
        </p>
        {expiresAt !== null && (
          <p className="muted small">
            Expires <Ago at={expiresAt} />
          </p>
        )}
      </td>
      <td>
        <span className="scopes">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      </td>
      <td>
        {projects.map(({ id: project, name }) => (
          <div key={project}>
            <bdi>{name}</bdi>
          </div>
        ))}
      </td>
      <td className="nowrap">
        <Ago at={lastUsedAt} />
      </td>
      <td className="number">
        {revokedAt !== null && <Badge tone="bad">Revoked</Badge>}
        {revokedAt === null && id === session.id && <Badge tone="accent">This tab's key</Badge>}
        {revokedAt === null && id !== session.id && (
          <Button look="danger" aria-label={`Revoke ${label}`} onClick={() => setConfirming(true)}>
            Revoke
          </Button>
        )}
        <Dialog
          open={isConfirming}
          onClose={() => setConfirming(false)}
          title={`Revoke ${label}?`}
          about={<p>Programs that use it will be rejected immediately. This cannot be undone.</p>}
        >
          {revoke.error !== null && <ErrorNote error={revoke.error} />}
          <div className="dialog-buttons">
            <Button onClick={() => setConfirming(false)}>Keep it</Button>
            <Button look="danger" busy={revoke.isPending} onClick={() => revoke.mutate({ id })}>
              Revoke
            </Button>
          </div>
        </Dialog>
      </td>
    </tr>
  );
}
