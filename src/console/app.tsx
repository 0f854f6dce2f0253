import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { SessionContext } from './api/scopes.ts';
import { useKey } from './api/session.ts';
import { useApi } from './api/use-api.ts';
import { EndpointFrame } from './endpoints/endpoint-frame.tsx';
import { EndpointsView } from './endpoints/endpoints-view.tsx';
import { CurrentKeyDocument } from './generated/graphql.ts';
import { RunView } from './run/run-view.tsx';
import { ChooseProject } from './shell/choose-project.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './shell/sign-in.tsx';
import { ErrorNote, Loading } from './ui/parts.tsx';

export function App() {
  const key = useKey();
  const queryClient = useQueryClient();
  // What one key was shown is nothing that another should see.
  useEffect(() => {
    if (key === null) queryClient.clear();
  }, [key, queryClient]);
  return key === null ? <SignIn /> : <Session key={key} />;
}

function Session() {
  const { data, error } = useApi(CurrentKeyDocument, {});
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
  if (data.currentKey === null) return <SignIn />;
  return (
    <SessionContext value={data.currentKey}>
      <Views />
    </SessionContext>
  );
}

function Views() {
  return (
    <Routes>
      <Route path="/" element={<ChooseProject />} />
      <Route path="/project/:project" element={<Shell />}>
        <Route index element={<Navigate to="endpoints" replace />} />
        <Route path="endpoints" element={<EndpointsView />} />
        <Route path="endpoints/:name" element={<EndpointFrame />}>
          <Route index element={<RunView />} />
        </Route>
        <Route path="*" element={<NotFound />} />
      </Route>
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
