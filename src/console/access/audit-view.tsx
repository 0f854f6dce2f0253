import { Link, useSearchParams } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { usePages } from '../api/use-pages.ts';
import { AuditEntriesDocument, type AuditEntriesQuery } from '../generated/graphql.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { plural } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { MoreRows } from '../ui/more-rows.tsx';
import { Ago, Empty, ErrorNote, Loading, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';

type Entry = NonNullable<AuditEntriesQuery['auditLog']>['edges'][number]['node'];

const pageRows = 50;

/** The audit log, newest first. */
export function AuditView() {
  useTitle('Audit log');
  const { write } = useMay();
  if (write) return <AuditLog />;
  return (
    <Empty title="This key may not read the audit log">
      <p>This requires the scope endpoint:write.</p>
    </Empty>
  );
}

function AuditLog() {
  const project = useProject();
  const [params, setParams] = useSearchParams();
  const endpoint = params.get('endpoint') ?? '';
  const filter = endpoint === '' ? null : { endpoint };
  const variables = { projectId: project, first: pageRows, filter };
  const log = usePages(AuditEntriesDocument, variables, ({ auditLog }) => auditLog);
  const { rows, error } = log;
  return (
    <div className="view">
      <PageHead title="Audit log" about={<p>Who changed what, newest first.</p>} />
      <search className="filters">
        <label className="search-field">
          <Icon name="search" />
          <span className="visually-hidden">Filter by endpoint name</span>
          <input
            type="search"
            placeholder="Name of an endpoint"
            value={endpoint}
            onChange={({ target }) =>
              setParams(target.value === '' ? {} : { endpoint: target.value }, { replace: true })
            }
          />
        </label>
      </search>
      {error !== null && <ErrorNote error={error} />}
      {rows === undefined && error === null && <Loading lines={8} />}
      {rows?.length === 0 && <Empty title="No entries" />}
      {rows !== undefined && rows.length > 0 && (
        <div className="panel table-scroll" role="region" aria-label="Entries" tabIndex={0}>
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">Change</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((node) => (
                <EntryRow key={node.id} entry={node} />
              ))}
            </tbody>
          </table>
          <MoreRows pages={log} words={`More of ${plural(log.total, 'entry', 'entries')}`} />
        </div>
      )}
    </div>
  );
}

function EntryRow({ entry }: { entry: Entry }) {
  const project = useProject();
  const { at, user, door, action, endpointName, version, before, after } = entry;
  return (
    <tr>
      <td className="nowrap">
        <Ago at={at} />
      </td>
      <td>
        <bdi>{user?.email ?? 'the service'}</bdi>
        <p className="muted small">{door}</p>
      </td>
      <td>
        {action}
        {endpointName !== null && (
          <p className="small">
            <Link to={viewPath(project, 'endpoints', endpointName)}>{endpointName}</Link>
            {version !== null && <span className="muted nowrap"> version {version}</span>}
          </p>
        )}
      </td>
      <td>
        {(before !== null || after !== null) && (
          <details>
            <summary className="small nowrap">Before and after</summary>
            <pre className="change-json" tabIndex={0}>
              <bdi>{JSON.stringify({ before, after }, null, 1)}</bdi>
            </pre>
          </details>
        )}
      </td>
    </tr>
  );
}
