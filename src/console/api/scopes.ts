import { createContext, useContext } from 'react';
import type { CurrentKeyQuery } from '../generated/graphql.ts';

/** The session's key, as described by the service. */
export type SessionKey = NonNullable<CurrentKeyQuery['currentKey']>;

export const SessionContext = createContext<SessionKey | null>(null);

export function useSession(): SessionKey {
  const key = useContext(SessionContext);
  if (key === null) throw new Error('a view outside of a session');
  return key;
}

/** What the key may do: writing implies reading, admin implies all, and loading rows implies nothing else. */
export function useMay(): {
  readonly read: boolean;
  readonly write: boolean;
  readonly load: boolean;
  readonly admin: boolean;
} {
  const { scopes } = useSession();
  const admin = scopes.includes('admin');
  const write = admin || scopes.includes('endpoint:write');
  return {
    admin,
    write,
    read: write || scopes.includes('endpoint:read'),
    load: admin || scopes.includes('data:write'),
  };
}
