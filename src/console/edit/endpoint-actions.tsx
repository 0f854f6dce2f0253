import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useWrite } from '../api/use-api.ts';
import type { EndpointHead } from '../endpoints/endpoint-frame.tsx';
import { DeleteEndpointDocument, UpdateEndpointDocument } from '../generated/graphql.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { Dialog } from '../ui/dialog.tsx';
import { plural } from '../ui/format.ts';
import { Button, ErrorNote } from '../ui/parts.tsx';

interface EndpointActionsProps {
  readonly endpoint: EndpointHead;
  /** Unsaved changes would be lost. */
  readonly isChanged: boolean;
}

/** Deactivates and reactivates the endpoint, and deletes it. */
export function EndpointActions({ endpoint, isChanged }: EndpointActionsProps) {
  const projectId = useProject();
  const { name, isActive, revision } = endpoint;
  const [isConfirming, setConfirming] = useState(false);
  const queryClient = useQueryClient();
  const change = useWrite(UpdateEndpointDocument, () => void queryClient.invalidateQueries());
  const target = { projectId, name, ifMatch: [revision] };
  return (
    <section className="panel padded stack" aria-label="State">
      <h2>State</h2>
      <p className="small muted">
        {isActive
          ? 'Active. Runs of an inactive endpoint are refused; nothing is deleted.'
          : 'Inactive: runs are refused.'}
        {isChanged && ' Save or discard your changes first.'}
      </p>
      <div className="actions">
        <Button
          disabled={isChanged}
          busy={change.isPending}
          onClick={() => change.mutate({ ...target, input: { isActive: !isActive } })}
        >
          {isActive ? 'Deactivate' : 'Activate'}
        </Button>
        <Button look="danger" disabled={isChanged} onClick={() => setConfirming(true)}>
          Delete…
        </Button>
      </div>
      {change.error !== null && <ErrorNote error={change.error} />}
      {isConfirming && <DeleteDialog endpoint={endpoint} onClose={() => setConfirming(false)} />}
    </section>
  );
}

function DeleteDialog({ endpoint, onClose }: { endpoint: EndpointHead; onClose: () => void }) {
  const projectId = useProject();
  const { name, revision, versionsCount } = endpoint;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useWrite(DeleteEndpointDocument, async () => {
    await navigate(viewPath(projectId, 'endpoints'));
    await queryClient.invalidateQueries();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      about={
        <p>
          This deletes {plural(versionsCount, 'version')} and any stored tables. Programs that run
          it get a 404. It cannot be undone.
        </p>
      }
    >
      {remove.error !== null && <ErrorNote error={remove.error} title="Not deleted" />}
      <div className="dialog-buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="danger"
          busy={remove.isPending}
          onClick={() => remove.mutate({ projectId, name, ifMatch: [revision] })}
        >
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
