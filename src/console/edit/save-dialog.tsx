import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { useWrite } from '../api/use-api.ts';
import type { EndpointHead } from '../endpoints/endpoint-frame.tsx';
import { CreateEndpointDocument, UpdateEndpointDocument } from '../generated/graphql.ts';
import { valuesInUrl } from '../run/run-address.ts';
import type { TypedTexts } from '../run/variable-values.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button, ErrorNote } from '../ui/parts.tsx';
import { ChangeList } from './change-list.tsx';
import { type Change, changesBetween } from './changes.ts';
import { type Definition, toDefinition } from './definition.ts';
import { NewInterface } from './interface-parts.tsx';
import type { Check } from './use-check.ts';

/** Settings saved together with the query. */
export interface Settings {
  readonly name: string;
  readonly description: string;
  /** Comma-separated. */
  readonly labels: string;
  /** Seconds, as typed; empty for the service's default. */
  readonly cacheAge: string;
}

interface SaveDialogProps {
  readonly endpoint: EndpointHead | null;
  readonly query: Definition;
  readonly settings: Settings;
  /** The values that were typed, which are kept for the first run. */
  readonly texts: TypedTexts;
  readonly after: Check | null;
  /** Called before the saved version is shown. */
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/**
 * Shows what saving changes for callers before it is saved. Never overwrites another person's change made since the
 * page was opened.
 */
export function SaveDialog(props: SaveDialogProps) {
  const { endpoint, query, settings, texts, after, onSaved, onClose } = props;
  const project = useProject();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const done = (name: string) => {
    onSaved();
    void queryClient.invalidateQueries();
    const search = valuesInUrl(after?.variables ?? [], texts);
    void navigate({ pathname: viewPath(project, 'endpoints', name), search });
  };
  const create = useWrite(CreateEndpointDocument, ({ createEndpoint: { name } }) => done(name));
  const update = useWrite(UpdateEndpointDocument, ({ updateEndpoint: { name } }) => done(name));
  const isNewVersion = endpoint !== null && !isSameQuery(endpoint.query, query);
  const save = () => {
    const tags = settings.labels.split(',').flatMap((label) => label.trim() || []);
    const { name, description, cacheAge } = settings;
    const cacheAgeSeconds = cacheAge === '' ? null : Number(cacheAge);
    const cached =
      cacheAgeSeconds === (endpoint?.cacheAgeSeconds ?? null) ? {} : { cacheAgeSeconds };
    if (endpoint === null)
      return create.mutate({
        projectId: project,
        input: { name, description, tags, query, ...cached },
      });
    const input = { description, tags, ...cached, ...(isNewVersion ? { query } : {}) };
    return update.mutate({ projectId: project, name, input, ifMatch: [endpoint.revision] });
  };
  const error = create.error ?? update.error;
  const words =
    endpoint === null
      ? 'Create'
      : isNewVersion
        ? `Save as version ${endpoint.currentVersion + 1}`
        : 'Save the settings';
  return (
    <Dialog open onClose={onClose} title={endpoint === null ? `Create ${settings.name}` : words}>
      {endpoint === null && after !== null && (
        <NewInterface
          {...after}
          name={settings.name}
          path={`/api/projects/${project}/endpoints/${settings.name}/run`}
        />
      )}
      {endpoint !== null && after !== null && (
        <Changes changes={isNewVersion ? changesBetween(endpoint, after) : null} />
      )}
      {error !== null && <ErrorNote error={error} title="Not saved" />}
      <div className="dialog-buttons">
        <Button onClick={onClose}>Keep editing</Button>
        <Button look="primary" onClick={save} busy={create.isPending || update.isPending}>
          {words}
        </Button>
      </div>
    </Dialog>
  );
}

function isSameQuery(saved: unknown, edited: Definition): boolean {
  return JSON.stringify(toDefinition(saved)) === JSON.stringify(edited);
}

/** Null when the query stays the same. */
function Changes({ changes }: { changes: readonly Change[] | null }) {
  if (changes === null) return <p>The query is unchanged, so no new version is created.</p>;
  if (changes.length === 0) return <p>Columns and variables stay the same for callers.</p>;
  return (
    <>
      <h3>What changes for callers</h3>
      <ChangeList changes={changes} />
      <p className="muted small">Callers that name a version continue to get that version.</p>
    </>
  );
}
