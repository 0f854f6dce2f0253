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
  const response = await send(document.toString(), { variables, key, signal });
  const answer = await readAnswer(response);
  const first = answer.errors?.[0];
  if (first !== undefined || answer.data === undefined || answer.data === null) {
    const code = first?.extensions?.code ?? answer.code ?? 'error';
    if (code === 'authentication_failed' && key === currentKey()) {
      // A key of some minutes may be over because the page slept: nothing was done with it, so it is asked once more.
      const renewed = millisecondsLeft() === null ? null : await askForKey();
      if (renewed !== null && !isRetry)
        return request(document, variables, { ...given, key: renewed, isRetry: true });
      forgetKey();
    }
    const message = first?.message ?? answer.detail ?? `The service answered ${response.status}.`;
    throw new ApiError(message, code, first?.extensions?.attr ?? null);
  }
  return answer.data as Result;
}

interface Sent {
  readonly variables: unknown;
  readonly key: string;
  readonly signal: AbortSignal | undefined;
}

async function send(query: string, { variables, key, signal }: Sent): Promise<Response> {
  try {
    return await fetch('/graphql', {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify({ query, variables }),
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
