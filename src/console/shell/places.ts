import { useMay } from '../api/scopes.ts';
import type { IconName } from '../ui/icons.tsx';

interface Place {
  readonly view: string;
  readonly label: string;
  readonly icon: IconName;
}

/** The project's views that the key may open. */
export function usePlaces(): readonly Place[] {
  const { read, write, admin } = useMay();
  if (!read) return [{ view: 'load', label: 'Load a file', icon: 'upload' }];
  return [
    { view: 'endpoints', label: 'Endpoints', icon: 'endpoints' },
    { view: 'tables', label: 'Tables', icon: 'tables' },
    { view: 'graphql', label: 'GraphQL', icon: 'graph' },
    { view: 'usage', label: 'Usage', icon: 'usage' },
    ...(write ? [{ view: 'audit', label: 'Audit log', icon: 'audit' } as const] : []),
    ...(admin ? [{ view: 'keys', label: 'Keys', icon: 'keys' } as const] : []),
    { view: 'limits', label: 'Limits', icon: 'limits' },
    ...(admin ? [{ view: 'health', label: 'Health', icon: 'health' } as const] : []),
  ];
}
