import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useWrite } from '../api/use-api.ts';
import { ChangeList } from '../edit/change-list.tsx';
import { changesBetween } from '../edit/changes.ts';
import { toDefinition } from '../edit/definition.ts';
import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import { UpdateEndpointDocument } from '../generated/graphql.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { Icon } from '../ui/icons.tsx';
import { Button, ErrorNote } from '../ui/parts.tsx';
import { lineDiff } from './line-diff.ts';
import type { VersionRuns } from './use-version-runs.ts';
import type { Version } from './version.ts';
import { VersionRunners } from './version-runners.tsx';

interface VersionDetailProps {
  readonly version: Version;
  /** The version to compare with; null for none. */
  readonly other: Version | null;
  readonly choices: readonly Version[];
  /** Who still runs it; undefined when not known yet. */
  readonly runs: VersionRuns | undefined;
  readonly onCompare: (version: number) => void;
}

/** The SQL of a version, its differences from another, and what they change for callers. */
export function VersionDetail({ version, other, choices, runs, onCompare }: VersionDetailProps) {
  const project = useProject();
  const { name } = useEndpointHead();
  const base = viewPath(project, 'endpoints', name);
  return (
    <section className="version-detail" aria-label={`Version ${version.version}`}>
      <div className="version-bar">
        <label className="inline-field">
          <span className="muted small">Compared with</span>
          <select
            value={other?.version ?? ''}
            onChange={({ target }) => onCompare(Number(target.value))}
          >
            <option value="">nothing</option>
            {choices
              .filter((one) => one !== version)
              .map((one) => (
                <option key={one.id} value={one.version}>
                  version {one.version}
                </option>
              ))}
          </select>
        </label>
        <div className="actions">
          <Link className="button" to={`${base}?version=${version.version}`}>
            <Icon name="play" />
            Run this version
          </Link>
          <SaveAgain version={version} />
        </div>
      </div>
      {runs !== undefined && <VersionRunners runs={runs} />}
      {other !== null && <CallerChanges before={other} after={version} />}
      <Diff
        before={other === null ? null : toDefinition(other.query).query}
        after={toDefinition(version.query).query}
      />
    </section>
  );
}

function SaveAgain({ version }: { version: Version }) {
  const project = useProject();
  const { write } = useMay();
  const { name, currentVersion, revision } = useEndpointHead();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const update = useWrite(UpdateEndpointDocument, () => {
    void queryClient.invalidateQueries();
    void navigate(viewPath(project, 'endpoints', name, 'versions'), { replace: true });
  });
  if (!write || version.version === currentVersion) return null;
  return (
    <>
      <Button
        busy={update.isPending}
        onClick={() =>
          update.mutate({
            projectId: project,
            name,
            input: { query: version.query },
            ifMatch: [revision],
          })
        }
      >
        Save again as version {currentVersion + 1}
      </Button>
      {update.error !== null && <ErrorNote error={update.error} title="Not saved" />}
    </>
  );
}

function CallerChanges({ before, after }: { before: Version; after: Version }) {
  const changes = changesBetween(before, after);
  if (changes.length === 0)
    return <p className="muted small">The columns and variables are the same.</p>;
  return <ChangeList changes={changes} />;
}

const marks = { same: ' ', added: '+', removed: '−' } as const;
const spoken = { same: '', added: 'Added: ', removed: 'Removed: ' } as const;

function Diff({ before, after }: { before: string | null; after: string }) {
  const lines = lineDiff(before ?? after, after);
  return (
    <div className="panel diff" role="region" aria-label="SQL" tabIndex={0}>
      <pre>
        {lines.map(({ kind, text, parts }, at) => (
          <span key={`line ${at + 1}`} className={`diff-line ${kind}`}>
            <span aria-hidden="true" className="diff-mark">
              {marks[kind]}
            </span>
            <span className="visually-hidden">{spoken[kind]}</span>
            <bdi>
              {(parts ?? [{ text, isChanged: false }]).map((part, place) => {
                const Part = part.isChanged ? 'mark' : 'span';
                return <Part key={`part ${place + 1}`}>{part.text}</Part>;
              })}
            </bdi>
            {'\n'}
          </span>
        ))}
      </pre>
    </div>
  );
}
