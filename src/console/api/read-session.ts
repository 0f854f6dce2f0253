import { CurrentKeyDocument } from '../generated/graphql.ts';
import { type ApiError, type RequestOptions, request } from './client.ts';
import type { SessionKey } from './scopes.ts';

/**
 * A key that may load rows and read nothing, not even what it is: the service says of every other valid key what it may do. Its
 * projects are not known; `@current` is the only one, where it has no others.
 */
const loaderKey: SessionKey = {
  id: '',
  label: 'Loads rows',
  prefix: '',
  scopes: ['data:write'],
  expiresAt: null,
  owner: { email: '', firstName: '' },
  projects: [],
};

/** What the key may do; null: the service does not know it. Throws `ApiError`. */
export async function readSession(options: RequestOptions): Promise<SessionKey | null> {
  try {
    return (await request(CurrentKeyDocument, {}, options)).currentKey;
  } catch (error) {
    if ((error as ApiError).code === 'permission_denied') return loaderKey;
    throw error;
  }
}
