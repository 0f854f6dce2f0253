import { Link, NavLink, Outlet, useOutletContext, useParams } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { EndpointHeadDocument, type EndpointHeadQuery } from '../generated/graphql.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { Icon } from '../ui/icons.tsx';
import { Badge, Empty, ErrorNote, Loading, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';

export type EndpointHead = NonNullable<EndpointHeadQuery['endpoint']>;

/** The endpoint of the frame that a view stands in. */
export function useEndpointHead(): EndpointHead {
  return useOutletContext<EndpointHead>();
}

/** The heading and the tabs that all views of one endpoint share. */
export function EndpointFrame() {
  const project = useProject();
  const name = useParams().name ?? '';
  useTitle(name);
  const { data, error } = useApi(EndpointHeadDocument, { projectId: project, name });
  if (error?.code === 'not_found')
    return (
      <Empty title="There is no such endpoint">
        <p>
          It may have been deleted, or belong to another project.{' '}
          <Link to={viewPath(project, 'endpoints')}>All endpoints</Link>
        </p>
      </Empty>
    );
  if (error !== null) return <ErrorNote error={error} />;
  if (data?.endpoint === undefined || data.endpoint === null) return <Loading lines={8} />;
  return (
    <div className="view fill">
      <Head endpoint={data.endpoint} />
      <Outlet context={data.endpoint satisfies EndpointHead} key={name} />
    </div>
  );
}

/** The same endpoint in GraphiQL, with its variables filled in. */
function graphiqlPath(project: string, name: string): string {
  return `/graphql?project=${encodeURIComponent(project)}&endpoint=${name}`;
}

function Head({ endpoint }: { endpoint: EndpointHead }) {
  const project = useProject();
  const { write } = useMay();
  const { name, description, tags, isActive } = endpoint;
  const base = viewPath(project, 'endpoints', name);
  return (
    <>
      <PageHead
        above={
          <p className="crumbs small">
            <Link to={viewPath(project, 'endpoints')}>Endpoints</Link>
          </p>
        }
        actions={
          <a className="button quiet" href={graphiqlPath(project, name)}>
            <Icon name="link" />
            GraphiQL
          </a>
        }
        title={
          <>
            {name} {!isActive && <Badge>Inactive</Badge>}
          </>
        }
        about={
          <>
            {description !== '' && (
              <p>
                <bdi>{description}</bdi>
              </p>
            )}
            {tags.length > 0 && (
              <p className="labels">
                {tags.map((label) => (
                  <Link
                    key={label}
                    className="chip"
                    to={`${viewPath(project, 'endpoints')}?label=${encodeURIComponent(label)}`}
                  >
                    <bdi>{label}</bdi>
                  </Link>
                ))}
              </p>
            )}
          </>
        }
      />
      <nav className="tabs" aria-label="Endpoint">
        <NavLink to={base} end>
          Run
        </NavLink>
        {write && <NavLink to={`${base}/edit`}>Edit</NavLink>}
        <NavLink to={`${base}/versions`}>
          Versions <span className="count">{endpoint.versionsCount}</span>
        </NavLink>
        <NavLink to={`${base}/materialization`}>Materialization</NavLink>
        <NavLink to={`${base}/usage`}>Usage</NavLink>
      </nav>
    </>
  );
}
