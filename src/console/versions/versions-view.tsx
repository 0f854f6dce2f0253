import { useSearchParams } from 'react-router';
import { useApi } from '../api/use-api.ts';
import { usePages } from '../api/use-pages.ts';
import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import { OneVersionDocument, VersionsDocument } from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import { plural } from '../ui/format.ts';
import { MoreRows } from '../ui/more-rows.tsx';
import { Ago, Badge, ErrorNote, Loading } from '../ui/parts.tsx';
import { useVersionRuns, type VersionRuns } from './use-version-runs.ts';
import type { Version } from './version.ts';
import { VersionDetail } from './version-detail.tsx';

const pageRows = 50;

/** The list of versions, newest first, and what one of them changed. */
export function VersionsView() {
  const { id, name, currentVersion } = useEndpointHead();
  const project = useProject();
  const [params, setParams] = useSearchParams();
  const pages = usePages(
    VersionsDocument,
    { projectId: project, name, first: pageRows },
    ({ endpointVersions }) => endpointVersions,
  );
  const runsOf = useVersionRuns(id);
  const versions = pages.rows ?? [];
  const requested = useVersion(versions, Number(params.get('version') ?? currentVersion));
  const chosen = requested ?? versions[0];
  const with_ = Number(params.get('with') ?? (chosen?.version ?? 1) - 1);
  const other = useVersion(versions, with_) ?? null;
  if (pages.error !== null) return <ErrorNote error={pages.error} />;
  if (chosen === undefined) return <Loading lines={6} />;
  const show = (version: number) => setParams({ version: String(version) }, { replace: true });
  return (
    <div className="versions">
      <nav className="panel version-line" aria-label="Versions">
        <ol>
          {versions.map((version) => (
            <li key={version.id}>
              <button
                type="button"
                aria-current={version.id === chosen.id ? 'true' : undefined}
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
        <MoreRows pages={pages} words={`More of ${plural(pages.total, 'version')}`} />
      </nav>
      <VersionDetail
        version={chosen}
        other={other}
        choices={other === null ? versions : withOne(versions, other)}
        runs={runsOf?.(chosen.version)}
        onCompare={(next) =>
          setParams({ version: String(chosen.version), with: String(next) }, { replace: true })
        }
      />
    </div>
  );
}

/** From the list if it contains it, else read separately; undefined until then. */
function useVersion(versions: readonly Version[], version: number): Version | undefined {
  const { name } = useEndpointHead();
  const project = useProject();
  const listed = versions.find((one) => one.version === version);
  const { data } = useApi(
    OneVersionDocument,
    { projectId: project, name, version },
    { enabled: versions.length > 0 && listed === undefined && version > 0 },
  );
  return listed ?? data?.endpointVersion ?? undefined;
}

function withOne(versions: readonly Version[], other: Version): readonly Version[] {
  return versions.some(({ id }) => id === other.id) ? versions : [...versions, other];
}

function runsInWords({ runs, keys }: VersionRuns): string {
  if (runs === 0) return 'No runs in 30 days';
  const by = keys === null ? '' : ` by ${plural(keys.length, 'key')}`;
  return `${plural(runs, 'run')} in 30 days${by}`;
}
