import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useEffect } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import type { ApiError } from './api/client.ts';
import { readSession } from './api/read-session.ts';
import { SessionContext, type SessionKey, useMay } from './api/scopes.ts';
import { useKey } from './api/session.ts';
import { EndpointFrame } from './endpoints/endpoint-frame.tsx';
import { EndpointsView } from './endpoints/endpoints-view.tsx';
import { RunView } from './run/run-view.tsx';
import { ChooseProject } from './shell/choose-project.tsx';
import { NotFound, NotReadable } from './shell/not-found.tsx';
import { useHeldSignIn, useProviderSignIn } from './shell/provider-sign-in.tsx';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './shell/sign-in.tsx';
import { TableView } from './tables/table-view.tsx';
import { TablesView } from './tables/tables-view.tsx';
import { ErrorNote, Loading } from './ui/parts.tsx';

// Most people come to look at endpoints and their rows; every other view is in its own chunk.
const AuditView = lazy(async () => ({
  default: (await import('./access/audit-view.tsx')).AuditView,
}));
const EditView = lazy(async () => ({
  default: (await import('./edit/edit-view.tsx')).EditView,
}));
const EndpointUsageView = lazy(async () => ({
  default: (await import('./usage/endpoint-usage-view.tsx')).EndpointUsageView,
}));
const GraphView = lazy(async () => ({
  default: (await import('./graph/graph-view.tsx')).GraphView,
}));
const HealthView = lazy(async () => ({
  default: (await import('./health/health-view.tsx')).HealthView,
}));
const KeysView = lazy(async () => ({
  default: (await import('./access/keys-view.tsx')).KeysView,
}));
const LimitsView = lazy(async () => ({
  default: (await import('./access/limits-view.tsx')).LimitsView,
}));
const LoadView = lazy(async () => ({
  default: (await import('./load/load-view.tsx')).LoadView,
}));
const MaterializationView = lazy(async () => ({
  default: (await import('./materialization/materialization-view.tsx')).MaterializationView,
}));
const UsageView = lazy(async () => ({
  default: (await import('./usage/usage-view.tsx')).UsageView,
}));
const VersionsView = lazy(async () => ({
  default: (await import('./versions/versions-view.tsx')).VersionsView,
}));

export function App() {
  const key = useKey();
  const queryClient = useQueryClient();
  // Data shown to one key must not be shown to another.
  useEffect(() => {
    if (key === null) queryClient.clear();
  }, [key, queryClient]);
  return key === null ? <SignedOut /> : <Session key={key} />;
}

function SignedOut() {
  const state = useProviderSignIn();
  if (state === 'known') return <SignIn />;
  return (
    <main className="alone">
      <Loading />
    </main>
  );
}

function Session() {
  useHeldSignIn();
  const { data, error } = useQuery<SessionKey | null, ApiError>({
    queryKey: ['session'],
    queryFn: ({ signal }) => readSession({ signal }),
  });
  if (error !== null)
    return (
      <main className="alone">
        <ErrorNote error={error} title="The console cannot start" />
      </main>
    );
  if (data === undefined)
    return (
      <main className="alone">
        <Loading />
      </main>
    );
  if (data === null) return <SignIn />;
  return (
    <SessionContext value={data}>
      <Views />
    </SessionContext>
  );
}

/** The views of a key that may only load rows. */
function LoaderViews() {
  return (
    <Routes>
      <Route path="/" element={<ChooseProject />} />
      <Route path="/project/:project" element={<Shell />}>
        <Route path="load" element={<LoadView />} />
        <Route path="*" element={<NotReadable />} />
      </Route>
      <Route path="*" element={<ChooseProject />} />
    </Routes>
  );
}

function Views() {
  const { read } = useMay();
  return read ? <AllViews /> : <LoaderViews />;
}

function AllViews() {
  return (
    <Routes>
      <Route path="/" element={<ChooseProject />} />
      <Route path="/project/:project" element={<Shell />}>
        <Route index element={<Navigate to="endpoints" replace />} />
        <Route path="endpoints" element={<EndpointsView />} />
        <Route path="new" element={<EditView />} />
        <Route path="endpoints/:name" element={<EndpointFrame />}>
          <Route index element={<RunView />} />
          <Route path="edit" element={<EditView />} />
          <Route path="usage" element={<EndpointUsageView />} />
          <Route path="versions" element={<VersionsView />} />
          <Route path="materialization" element={<MaterializationView />} />
        </Route>
        <Route path="load" element={<LoadView />} />
        <Route path="tables" element={<TablesView />} />
        <Route path="tables/:table" element={<TableView />} />
        <Route path="usage" element={<UsageView />} />
        <Route path="graphql" element={<GraphView />} />
        <Route path="keys" element={<KeysView />} />
        <Route path="audit" element={<AuditView />} />
        <Route path="health" element={<HealthView />} />
        <Route path="limits" element={<LimitsView />} />
        <Route path="*" element={<NotFound />} />
      </Route>
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
