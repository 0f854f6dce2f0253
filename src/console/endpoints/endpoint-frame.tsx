import { Suspense, useEffect, useRef } from 'react';
import {
  Link,
  NavLink,
  Outlet,
  useLocation,
  useOutletContext,
  useParams,
  useSearchParams,
} from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { EndpointHeadDocument, type EndpointHeadQuery } from '../generated/graphql.ts';
import { readInputs } from '../run/run-address.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { Icon } from '../ui/icons.tsx';
import { Badge, Empty, ErrorNote, Loading, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';

export type EndpointHead = NonNullable<EndpointHeadQuery['endpoint']>;

/** The endpoint of the surrounding frame. */
export function useEndpointHead(): EndpointHead {
  return useOutletContext<EndpointHead>();
}

/** The heading and tabs shared by all views of one endpoint. */
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
      <Suspense fallback={<Loading lines={8} />}>
        <Outlet context={data.endpoint satisfies EndpointHead} key={name} />
      </Suspense>
    </div>
  );
}

/** The same call in GraphiQL: variables, version, limit, order and refresh mode come from the URL. */
function graphiqlPath(project: string, name: string, params: URLSearchParams): string {
  const { limit } = readInputs(params, []);
  const next = new URLSearchParams({ project, endpoint: name, limit: String(limit) });
  for (const [key, value] of params)
    if (/^(?:v\..*|version|refresh|order)$/s.test(key)) next.append(key, value);
  return `/graphql?${next}`;
}

/** Alt-G goes to GraphiQL, where it returns here. */
function useGraphiQLKey(path: string): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.code !== 'KeyG' || !event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      location.assign(path);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [path]);
}

function Head({ endpoint }: { endpoint: EndpointHead }) {
  const project = useProject();
  const { name, description, tags, isActive } = endpoint;
  const base = viewPath(project, 'endpoints', name);
  const [params] = useSearchParams();
  const inGraphiQL = graphiqlPath(project, name, params);
  useGraphiQLKey(inGraphiQL);
  return (
    <>
      <PageHead
        above={
          <p className="crumbs small">
            <Link to={viewPath(project, 'endpoints')}>Endpoints</Link>
          </p>
        }
        actions={
          <a className="button quiet" href={inGraphiQL} title="Alt-G">
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
      <Tabs base={base} versionsCount={endpoint.versionsCount} />
    </>
  );
}

/** They scroll where they do not fit, so that the active one is in sight. */
function Tabs({ base, versionsCount }: { base: string; versionsCount: number }) {
  const { write } = useMay();
  const { pathname } = useLocation();
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const active = tabs.current?.querySelector<HTMLElement>('.active');
    if (tabs.current === null || active === null || active === undefined) return;
    const room = tabs.current.clientWidth - active.offsetWidth;
    tabs.current.scrollLeft = active.offsetLeft - room / 2;
  }, [pathname]);
  return (
    <nav className="tabs" aria-label="Endpoint" ref={tabs}>
      <NavLink to={base} end>
        Run
      </NavLink>
      {write && <NavLink to={`${base}/edit`}>Edit</NavLink>}
      <NavLink to={`${base}/versions`}>
        Versions <span className="count">{versionsCount}</span>
      </NavLink>
      <NavLink to={`${base}/materialization`}>Materialization</NavLink>
      <NavLink to={`${base}/usage`}>Usage</NavLink>
    </nav>
  );
}
