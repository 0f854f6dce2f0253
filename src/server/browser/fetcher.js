/** Sends what GraphiQL runs, and reads the answers without losing digits. Stop ends the request, and so the run. */
import { parseExact } from './exact-json.js';

/**
 * @param path the GraphQL server.
 * @param onAnswer is told each answer of what was run, and what was run; not what GraphiQL asks about the schema.
 * @param onHeaders is told the headers of each request, among them the key.
 */
export function openFetcher({ path, onAnswer, onHeaders }) {
  return (params, options = {}) => {
    const headers = options.headers ?? {};
    onHeaders(headers);
    const isStream = isSubscription(params, options.documentAST);
    const isSchema = params.operationName === 'IntrospectionQuery';
    return {
      subscribe(observer) {
        const controller = new AbortController();
        const tell = (answer) => {
          if (!isSchema) onAnswer(answer, params);
          observer.next(answer);
        };
        send(path, { params, headers, isStream, signal: controller.signal })
          .then((response) => readAnswers(response, tell))
          .then(() => observer.complete?.())
          .catch((error) => {
            if (!controller.signal.aborted) observer.error?.({ message: error.message });
          });
        return { unsubscribe: () => controller.abort() };
      },
    };
  };
}

function isSubscription({ operationName }, document) {
  const operations = (document?.definitions ?? []).filter(({ operation }) => operation);
  const named = operations.filter(({ name }) => !operationName || name?.value === operationName);
  return named[0]?.operation === 'subscription';
}

function send(path, { params, headers, isStream, signal }) {
  const { query, variables, operationName } = params;
  const accept = isStream ? 'text/event-stream' : 'application/json';
  return fetch(path, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { accept, ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables, operationName: operationName ?? undefined }),
    signal,
  });
}

async function readAnswers(response, tell) {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return readEvents(response, tell);
  const text = await response.text();
  if (!/json/.test(type)) throw new Error(`The service answered ${response.status}: ${text}`);
  tell(parseExact(text));
}

/** GraphQL over SSE: an event `next` has an answer as its data, `complete` ends them. */
async function readEvents(response, tell) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error('The service ended the stream. Run it again to go on.');
    const events = (rest + value).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const { name, data } = readEvent(event);
      if (name === 'complete') return;
      if (name === 'next') tell(parseExact(data));
    }
  }
}

function readEvent(event) {
  const lines = event.split(/\r?\n/);
  const valuesOf = (field) =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).replace(/^ /, ''));
  return { name: valuesOf('event')[0] ?? 'message', data: valuesOf('data').join('\n') };
}
