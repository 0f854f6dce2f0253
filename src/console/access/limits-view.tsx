import { useApi } from '../api/use-api.ts';
import { ProjectLimitsDocument } from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import { formatBytes, formatCount, formatSeconds } from '../ui/format.ts';
import { ErrorNote, Loading, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';

const rows = [
  [
    'concurrentQueries',
    'Concurrent queries, on source data and on stored tables each',
    formatCount,
  ],
  ['queuedQueries', 'Waiting runs', formatCount],
  ['executionSeconds', 'Query time', formatSeconds],
  ['memoryBytes', 'Query memory', formatBytes],
  ['resultRows', 'Rows per result', formatCount],
  ['resultBytes', 'Size of a result', formatBytes],
] as const;

/** The effective limits of the project's runs, and which of them the project has set itself. */
export function LimitsView() {
  useTitle('Limits');
  const project = useProject();
  const { data, error } = useApi(ProjectLimitsDocument, { projectId: project });
  if (error !== null) return <ErrorNote error={error} />;
  const found = data?.project;
  if (found === undefined || found === null) return <Loading lines={6} />;
  return (
    <div className="view">
      <PageHead title="Limits" about={<p>The limits that apply to runs of this project.</p>} />
      <div className="panel table-scroll" role="region" aria-label="Limits" tabIndex={0}>
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Limit</th>
              <th scope="col" className="number">
                Value
              </th>
              <th scope="col">Set by</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([limit, words, format]) => (
              <tr key={limit}>
                <td>{words}</td>
                <td className="number">{format(found.limits[limit])}</td>
                <td className="muted">{found.ownLimits[limit] === null ? 'Service' : 'Project'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
