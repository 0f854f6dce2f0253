import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { ApiError } from './api/client.ts';
import { App } from './app.tsx';
import { reloadForNewFiles } from './reload.ts';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/overlays.css';
import './styles/list.css';
import './styles/grid.css';
import './styles/edit.css';
import './styles/run.css';
import './styles/views.css';
import './styles/load.css';

/** Refusals are final; only a request without a response is retried. */
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) =>
        error instanceof ApiError && error.code === 'unreachable' && count < 2,
    },
  },
});

// Only this kind of router can block navigation with unsaved changes.
const router = createBrowserRouter([{ path: '*', element: <App /> }]);

reloadForNewFiles();

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
