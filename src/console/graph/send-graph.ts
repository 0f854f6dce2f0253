/** Sends what was written unchanged: variables keep the digits that were typed, and so do responses. */
import { ApiError, post } from '../api/client.ts';
import { sendWithKey } from '../api/send-with-key.ts';

export interface GraphRequest {
  readonly path: string;
  readonly document: string;
  /** JSON of an object, or empty. */
  readonly variables: string;
  /** Empty for the only operation. */
  readonly operation: string;
  /** Whether it is a subscription. */
  readonly isSubscription: boolean;
}

interface Sending {
  readonly signal: AbortSignal;
  /** Identifies the request while it is in progress. */
  readonly requestId?: string;
}

/** Calls back with each response as text; returns when there are no more. Throws `ApiError` for anything else. */
export async function sendGraph(
  request: GraphRequest,
  sending: Sending,
  onResponse: (text: string) => void,
): Promise<void> {
  const send = async (key: string) => {
    let refusal: string | null = null;
    await exchange(request, { ...sending, key }, (text) => {
      if (refusesKey(text)) refusal = text;
      else onResponse(text);
    });
    return refusal as string | null;
  };
  const refusal = await sendWithKey(send, (text) => text !== null);
  if (refusal === null) return;
  requireGraphQL(refusal, 401);
  onResponse(refusal);
}

async function exchange(
  { path, document, variables, operation, isSubscription }: GraphRequest,
  { signal, requestId, key }: Sending & { readonly key: string },
  onResponse: (text: string) => void,
): Promise<void> {
  const members = [
    `"query":${JSON.stringify(document)}`,
    ...(variables.trim() === '' ? [] : [`"variables":${variables}`]),
    ...(operation === '' ? [] : [`"operationName":${JSON.stringify(operation)}`]),
  ];
  const accept = isSubscription ? 'text/event-stream' : 'application/json';
  const response = await post(path, {
    body: `{${members.join(',')}}`,
    key,
    accept,
    signal,
    requestId,
  });
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return readEvents(response, onResponse);
  const text = await response.text();
  if (!refusesKey(text)) requireGraphQL(text, response.status);
  onResponse(text);
}

const keyRefused = 'authentication_failed';

/**
 * A refused key appears as a status, a field's error or an event, depending on the request; none of them had an effect.
 */
function refusesKey(text: string): boolean {
  if (!text.includes(`"${keyRefused}"`)) return false;
  try {
    const { code, errors = [] } = JSON.parse(text) as {
      readonly code?: unknown;
      readonly errors?: readonly { readonly extensions?: { readonly code?: unknown } }[];
    };
    return code === keyRefused || errors.some(({ extensions }) => extensions?.code === keyRefused);
  } catch {
    return false;
  }
}

/** Throws for a refusal outside of GraphQL, with its message. */
function requireGraphQL(text: string, status: number): void {
  let parsed: { readonly detail?: unknown; readonly code?: unknown };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch {
    throw new ApiError(`The service answered ${status}.`, 'error', null);
  }
  if (typeof parsed.detail !== 'string') return;
  const code = typeof parsed.code === 'string' ? parsed.code : 'error';
  throw new ApiError(parsed.detail, code, null);
}

/** GraphQL over SSE: an event `next` carries a response as its data, `complete` ends the stream. */
async function readEvents(response: Response, onResponse: (text: string) => void): Promise<void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done)
      throw new ApiError('The service ended the stream. Run it again to continue.', 'error', null);
    const events = (rest + value).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split(/\r?\n/);
      const fieldOf = (field: string) =>
        lines
          .filter((line) => line.startsWith(`${field}:`))
          .map((line) => line.slice(field.length + 1).replace(/^ /, ''))
          .join('\n');
      if (fieldOf('event') === 'complete') return;
      if (fieldOf('event') === 'next') onResponse(fieldOf('data'));
    }
  }
}
