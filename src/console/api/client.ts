/** One GraphQL request to the service that served this page. */
import type { TypedDocumentString } from '../generated/graphql.ts';
import { toJson } from './exact-json.ts';
import { sendWithKey } from './send-with-key.ts';

/** A refusal by the service, with its message. */
export class ApiError extends Error {
  readonly code: string;
  /** The invalid field; null when there is none. */
  readonly attr: string | null;

  constructor(message: string, code: string, attr: string | null) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.attr = attr;
  }
}

interface Payload {
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
  /** A key other than the session's, to test it. */
  readonly key?: string;
  /** Identifies the request while it is in progress; absent for one that the service chooses. */
  readonly requestId?: string | undefined;
}

/** Throws `ApiError`. Rows are exact: runs request 64-bit integers as strings. */
export async function request<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  given: RequestOptions = {},
): Promise<Result> {
  const { signal, key, requestId } = given;
  const body = toJson({ query: document.toString(), variables });
  const send = async (sent: string) => {
    const response = await post('/graphql', { body, key: sent, signal, requestId });
    return { status: response.status, payload: await readPayload(response) };
  };
  const { status, payload } =
    key === undefined
      ? await sendWithKey(send, (sent) => codeOf(sent.payload) === 'authentication_failed')
      : await send(key);
  const first = payload.errors?.[0];
  if (first !== undefined || payload.data === undefined || payload.data === null) {
    const message = first?.message ?? payload.detail ?? `The service answered ${status}.`;
    throw new ApiError(message, codeOf(payload) ?? 'error', first?.extensions?.attr ?? null);
  }
  return payload.data as Result;
}

function codeOf({ errors, code }: Payload): string | undefined {
  return errors?.[0]?.extensions?.code ?? code;
}

export interface Posted {
  /** JSON. */
  readonly body: string;
  readonly key: string;
  /** JSON when absent. */
  readonly accept?: string;
  readonly signal: AbortSignal | undefined;
  readonly requestId?: string | undefined;
}

/** Throws `ApiError` when the service does not respond. */
export async function post(
  path: string,
  { body, key, accept = 'application/json', signal, requestId }: Posted,
): Promise<Response> {
  const headers = { accept, 'content-type': 'application/json', authorization: `Bearer ${key}` };
  try {
    return await fetch(path, {
      method: 'POST',
      headers: requestId === undefined ? headers : { ...headers, 'x-request-id': requestId },
      body,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError('The service is not responding. Is it running?', 'unreachable', null);
  }
}

async function readPayload(response: Response): Promise<Payload> {
  try {
    return (await response.json()) as Payload;
  } catch {
    throw new ApiError(`The service answered ${response.status}.`, 'error', null);
  }
}
