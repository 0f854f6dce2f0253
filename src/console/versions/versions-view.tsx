import { useSearchParams } from 'react-router';
import { useApi } from '../api/use-api.ts';
import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import { VersionsDocument } from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import { plural } from '../ui/format.ts';
import { Ago, Badge, ErrorNote, Loading } from '../ui/parts.tsx';
import { useVersionRuns, type VersionRuns } from './use-version-runs.ts';
import { VersionDetail } from './version-detail.tsx';

/** The line of versions, newest first, and what one of them changed. */
export function VersionsView() {
  const { id, name, currentVersion } = useEndpointHead();
  const project = useProject();
  const [params, setParams] = useSearchParams();
  const { data, error } = useApi(VersionsDocument, {
    projectId: project,
    name,
    first: 200,
    after: null,
  });
  const runsOf = useVersionRuns(id);
  if (error !== null) return <ErrorNote error={error} />;
  const versions = data?.endpointVersions?.edges.map(({ node }) => node);
  if (versions === undefined) return <Loading lines={6} />;
  const asked = Number(params.get('version') ?? currentVersion);
  const chosen = versions.find(({ version }) => version === asked) ?? versions[0];
  if (chosen === undefined) return null;
  const with_ = Number(params.get('with') ?? chosen.version - 1);
  const other = versions.find(({ version }) => version === with_) ?? null;
  const show = (version: number) => setParams({ version: String(version) }, { replace: true });
  const total = data?.endpointVersions?.totalCount ?? versions.length;
  return (
    <div className="versions">
      <nav className="panel version-line" aria-label="Versions">
        <ol>
          {versions.map((version) => (
            <li key={version.id}>
              <button
                type="button"
                aria-current={version === chosen ? 'true' : undefined}
                onClick={() => show(version.version)}
              >
                <span className="version-number">
                  Version {version.version}
                  {version.version === currentVersion && <Badge tone="accent">Current</Badge>}
                  {!version.isActive && <Badge>Inactive</Badge>}
                </span>
                <span className="muted small">
                  <Ago at={version.versionCreatedAt} />
                  {version.versionCreatedBy !== null && (
                    <>
                      {' by '}
                      <bdi>
                        {version.versionCreatedBy.firstName || version.versionCreatedBy.email}
                      </bdi>
                    </>
                  )}
                </span>
                {runsOf !== undefined && (
                  <span className="muted small">{runsInWords(runsOf(version.version))}</span>
                )}
              </button>
            </li>
          ))}
        </ol>
        {total > versions.length && (
          <p className="pad muted small">
            The newest {versions.length} of {total} versions.
          </p>
        )}
      </nav>
      <VersionDetail
        version={chosen}
        other={other}
        choices={versions}
        runs={runsOf?.(chosen.version)}
        onCompare={(next) =>
          setParams({ version: String(chosen.version), with: String(next) }, { replace: true })
        }
      />
    </div>
  );
}

function runsInWords({ runs, keys }: VersionRuns): string {
  if (runs === 0) return 'No runs in 30 days';
  const by = keys === null ? '' : ` by ${plural(keys.length, 'key')}`;
  return `${plural(runs, 'run')} in 30 days${by}`;
}
