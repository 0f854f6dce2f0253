import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { AuditEntriesDocument, type AuditEntriesQuery } from '../generated/graphql.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { plural } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Ago, Button, Empty, ErrorNote, Loading, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';

type Entry = NonNullable<AuditEntriesQuery['auditLog']>['edges'][number]['node'];

const pageRows = 50;

/** Who changed what, newest first. */
export function AuditView() {
  useTitle('Audit log');
  const { write } = useMay();
  if (write) return <AuditLog />;
  return (
    <Empty title="This key may not read the audit log">
      <p>It needs the scope endpoint:write.</p>
    </Empty>
  );
}

function AuditLog() {
  const project = useProject();
  const [params, setParams] = useSearchParams();
  const [shown, setShown] = useState(pageRows);
  const endpoint = params.get('endpoint') ?? '';
  const { data, error } = useApi(
    AuditEntriesDocument,
    {
      projectId: project,
      first: shown,
      after: null,
      filter: endpoint === '' ? null : { endpoint },
    },
    { keep: true },
  );
  const log = data?.auditLog;
  return (
    <div className="view">
      <PageHead title="Audit log" about={<p>Who changed what, newest first.</p>} />
      <search className="filters">
        <label className="search-field">
          <Icon name="search" />
          <span className="visually-hidden">Only the endpoint of this name</span>
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
      {(log === undefined || log === null) && error === null && <Loading lines={8} />}
      {log?.totalCount === 0 && <Empty title="No entries" />}
      {log !== undefined && log !== null && log.totalCount > 0 && (
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
              {log.edges.map(({ node }) => (
                <EntryRow key={node.id} entry={node} />
              ))}
            </tbody>
          </table>
          {log.pageInfo.hasNextPage && shown < 1000 && (
            <p className="more">
              <Button onClick={() => setShown(shown + pageRows)}>
                More of {plural(log.totalCount, 'entry', 'entries')}
              </Button>
            </p>
          )}
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
            {version !== null && <span className="muted"> version {version}</span>}
          </p>
        )}
      </td>
      <td>
        {(before !== null || after !== null) && (
          <details>
            <summary className="small">Before and after</summary>
            <pre className="change-json" tabIndex={0}>
              <bdi>{JSON.stringify({ before, after }, null, 1)}</bdi>
            </pre>
          </details>
        )}
      </td>
    </tr>
  );
}
