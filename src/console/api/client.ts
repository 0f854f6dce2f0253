/** One GraphQL request to the service this page came from. */
import type { TypedDocumentString } from '../generated/graphql.ts';
import { sendWithKey } from './send-with-key.ts';

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
}

/** Throws `ApiError`. Rows are exact: runs ask for 64-bit integers as strings. */
export async function request<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  given: RequestOptions = {},
): Promise<Result> {
  const { signal, key } = given;
  const body = JSON.stringify({ query: document.toString(), variables });
  const send = async (sent: string) => {
    const response = await post('/graphql', { body, key: sent, signal });
    return { status: response.status, answer: await readAnswer(response) };
  };
  const { status, answer } =
    key === undefined
      ? await sendWithKey(send, (sent) => codeOf(sent.answer) === 'authentication_failed')
      : await send(key);
  const first = answer.errors?.[0];
  if (first !== undefined || answer.data === undefined || answer.data === null) {
    const message = first?.message ?? answer.detail ?? `The service answered ${status}.`;
    throw new ApiError(message, codeOf(answer) ?? 'error', first?.extensions?.attr ?? null);
  }
  return answer.data as Result;
}

function codeOf({ errors, code }: Answer): string | undefined {
  return errors?.[0]?.extensions?.code ?? code;
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
