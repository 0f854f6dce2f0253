import { createContext, useContext } from 'react';
import type { CurrentKeyQuery } from '../generated/graphql.ts';

/** The key of the session, as the service describes it. */
export type SessionKey = NonNullable<CurrentKeyQuery['currentKey']>;

export const SessionContext = createContext<SessionKey | null>(null);

export function useSession(): SessionKey {
  const key = useContext(SessionContext);
  if (key === null) throw new Error('a view outside of a session');
  return key;
}

/** What the key may do: writing implies reading, and admin implies all. */
export function useMay(): { readonly write: boolean; readonly admin: boolean } {
  const { scopes } = useSession();
  const admin = scopes.includes('admin');
  return { admin, write: admin || scopes.includes('endpoint:write') };
}
