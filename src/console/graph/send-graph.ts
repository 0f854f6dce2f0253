/** What somebody wrote, sent as it is: its variables keep the digits that they were typed with, and so do the answers. */
import { ApiError, post } from '../api/client.ts';
import { sendWithKey } from '../api/send-with-key.ts';

export interface GraphRequest {
  readonly path: string;
  readonly document: string;
  /** JSON of an object, or empty. */
  readonly variables: string;
  /** Empty: the only operation. */
  readonly operation: string;
  /** Whether it is followed. */
  readonly isSubscription: boolean;
}

/** Tells each answer, as text; returns when there are no more. Throws `ApiError` for what is no answer. */
export async function sendGraph(
  request: GraphRequest,
  signal: AbortSignal,
  onAnswer: (text: string) => void,
): Promise<void> {
  const send = async (key: string) => {
    let refusal: string | null = null;
    await exchange(request, { signal, key }, (text) => {
      if (refusesKey(text)) refusal = text;
      else onAnswer(text);
    });
    return refusal as string | null;
  };
  const refusal = await sendWithKey(send, (text) => text !== null);
  if (refusal === null) return;
  requireAnswer(refusal, 401);
  onAnswer(refusal);
}

async function exchange(
  { path, document, variables, operation, isSubscription }: GraphRequest,
  { signal, key }: { readonly signal: AbortSignal; readonly key: string },
  onAnswer: (text: string) => void,
): Promise<void> {
  const members = [
    `"query":${JSON.stringify(document)}`,
    ...(variables.trim() === '' ? [] : [`"variables":${variables}`]),
    ...(operation === '' ? [] : [`"operationName":${JSON.stringify(operation)}`]),
  ];
  const accept = isSubscription ? 'text/event-stream' : 'application/json';
  const response = await post(path, { body: `{${members.join(',')}}`, key, accept, signal });
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return readEvents(response, onAnswer);
  const text = await response.text();
  if (!refusesKey(text)) requireAnswer(text, response.status);
  onAnswer(text);
}

const keyRefused = 'authentication_failed';

/** A refused key is told by a status, by a field's error or by an event, depending on what was asked; nothing was done with any. */
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

/** Throws for a refusal that is not one of GraphQL, in its words. */
function requireAnswer(text: string, status: number): void {
  let answer: { readonly detail?: unknown; readonly code?: unknown };
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    throw new ApiError(`The service answered ${status}.`, 'error', null);
  }
  if (typeof answer.detail !== 'string') return;
  const code = typeof answer.code === 'string' ? answer.code : 'error';
  throw new ApiError(answer.detail, code, null);
}

/** GraphQL over SSE: an event `next` has an answer as its data, `complete` ends them. */
async function readEvents(response: Response, onAnswer: (text: string) => void): Promise<void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done)
      throw new ApiError('The service ended the stream. Run it again to go on.', 'error', null);
    const events = (rest + value).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split(/\r?\n/);
      const told = (field: string) =>
        lines
          .filter((line) => line.startsWith(`${field}:`))
          .map((line) => line.slice(field.length + 1).replace(/^ /, ''))
          .join('\n');
      if (told('event') === 'complete') return;
      if (told('event') === 'next') onAnswer(told('data'));
    }
  }
}
