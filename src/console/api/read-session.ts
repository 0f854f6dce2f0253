import { CurrentKeyDocument } from '../generated/graphql.ts';
import { type ApiError, type RequestOptions, request } from './client.ts';
import type { SessionKey } from './scopes.ts';

/**
 * A key that may only load rows, and cannot even read its own description; the service describes every other valid key.
 * Its projects are unknown; `@current` works if it has exactly one.
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

/** What the key may do; null when the service does not know it. Throws `ApiError`. */
export async function readSession(options: RequestOptions): Promise<SessionKey | null> {
  try {
    return (await request(CurrentKeyDocument, {}, options)).currentKey;
  } catch (error) {
    if ((error as ApiError).code === 'permission_denied') return loaderKey;
    throw error;
  }
}
