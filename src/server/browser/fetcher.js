/**
 * Sends GraphiQL's requests and parses the responses without losing digits. Stop aborts the request, and so the run.
 */
import { parseExact } from './exact-json.js';

/**
 * @param path the GraphQL server.
 * @param onResponse called with each response to a run and its request, but not for GraphiQL's schema queries.
 * @param onRunning called with the id and the document of each request that waits for its response, and with null after it.
 * @param onHeaders called with the headers of each request, including the key.
 */
export function openFetcher({ path, onResponse, onRunning, onHeaders }) {
  return (params, options = {}) => {
    const headers = options.headers ?? {};
    onHeaders(headers);
    const isStream = isSubscription(params, options.documentAST);
    const isSchema = params.operationName === 'IntrospectionQuery';
    return {
      subscribe(observer) {
        const controller = new AbortController();
        const requestId = newRequestId();
        const waits = (isWaiting) => {
          if (!isSchema) onRunning(isWaiting ? { requestId, ...params } : null);
        };
        const deliver = (result) => {
          waits(false);
          if (!isSchema) onResponse(result, params);
          observer.next(result);
        };
        waits(true);
        const sent = { 'x-request-id': requestId, ...headers };
        send(path, { params, headers: sent, isStream, signal: controller.signal })
          .then((response) => readResponses(response, deliver))
          .then(() => observer.complete?.())
          .catch((error) => {
            waits(false);
            if (!controller.signal.aborted) observer.error?.({ message: error.message });
          });
        return {
          unsubscribe() {
            waits(false);
            controller.abort();
          },
        };
      },
    };
  };
}

function newRequestId() {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return `graphiql-${btoa(String.fromCharCode(...bytes)).replace(/\W/g, '0')}`;
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

async function readResponses(response, deliver) {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return readEvents(response, deliver);
  const text = await response.text();
  if (!/json/.test(type)) throw new Error(`The service answered ${response.status}: ${text}`);
  deliver(parseExact(text));
}

/** GraphQL over SSE: an event `next` carries a response as its data, `complete` ends the stream. */
async function readEvents(response, deliver) {
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
      if (name === 'next') deliver(parseExact(data));
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
