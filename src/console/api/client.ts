/** One GraphQL request to the service this page came from. */
import type { TypedDocumentString } from '../generated/graphql.ts';
import { askForKey } from './provider.ts';
import { currentKey, forgetKey, millisecondsLeft } from './session.ts';

/** What the service refused, in its own words. */
export class ApiError extends Error {
  readonly code: string;
  /** The field at fault; null when there is none. */
  readonly attr: string | null;

  constructor(message: string, code: string, attr: string | null) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.attr = attr;
  }
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly attr?: string | null };
  }[];
  readonly code?: string;
  readonly detail?: string;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Another key than that of the session, to try it. */
  readonly key?: string;
  readonly isRetry?: boolean;
}

/** Throws `ApiError`. Rows are exact: runs ask for 64-bit integers as strings. */
export async function request<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  given: RequestOptions = {},
): Promise<Result> {
  const { signal, key = currentKey() ?? '', isRetry = false } = given;
  const body = JSON.stringify({ query: document.toString(), variables });
  const response = await post('/graphql', { body, key, signal });
  const answer = await readAnswer(response);
  const first = answer.errors?.[0];
  if (first !== undefined || answer.data === undefined || answer.data === null) {
    const code = first?.extensions?.code ?? answer.code ?? 'error';
    if (code === 'authentication_failed' && key === currentKey()) {
      const renewed = await renewKey(isRetry);
      if (renewed !== null)
        return request(document, variables, { ...given, key: renewed, isRetry: true });
    }
    const message = first?.message ?? answer.detail ?? `The service answered ${response.status}.`;
    throw new ApiError(message, code, first?.extensions?.attr ?? null);
  }
  return answer.data as Result;
}

/**
 * After a refused key. One of some minutes may be over because the page slept: nothing was done with it, so whoever sent it sends the same
 * once more with the new one. Null: there is none, or this was the second time, and nobody is signed in any more.
 */
export async function renewKey(isRetry: boolean): Promise<string | null> {
  const renewed = millisecondsLeft() === null ? null : await askForKey();
  if (renewed !== null && !isRetry) return renewed;
  forgetKey();
  return null;
}

export interface Posted {
  /** JSON. */
  readonly body: string;
  readonly key: string;
  /** JSON when absent. */
  readonly accept?: string;
  readonly signal: AbortSignal | undefined;
}

/** Throws `ApiError` when the service does not answer. */
export async function post(
  path: string,
  { body, key, accept = 'application/json', signal }: Posted,
): Promise<Response> {
  try {
    return await fetch(path, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError('The service does not answer. Is it running?', 'unreachable', null);
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  try {
    return (await response.json()) as Answer;
  } catch {
    throw new ApiError(`The service answered ${response.status}.`, 'error', null);
  }
}
