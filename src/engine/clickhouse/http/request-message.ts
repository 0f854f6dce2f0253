/** What one request to the engine looks like on the wire. */
import type { Readable } from 'node:stream';
import type { EngineParams } from '../../query-engine.ts';
import type { EngineLogin } from './connection.ts';
import { toMultipart } from './multipart.ts';

export interface EngineRequest {
  readonly login: EngineLogin & { readonly database?: string };
  readonly sql: string;
  /** Text forms of the engine's typed parameters, escaped already. */
  readonly params?: EngineParams;
  /** Engine settings and options of its HTTP interface: an object that many requests share, written out once. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Those of this request alone. */
  readonly ownSettings?: Readonly<Record<string, string>> | undefined;
  readonly queryId?: string;
  /** Rows for an INSERT; `sql` then ends with `FORMAT <name>`. */
  readonly rows?: Readable;
  /** Milliseconds from sending to the last byte. */
  readonly timeoutMs: number;
  /** Of the answer's body; default 64 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
  /** Aborted with the error that the request then fails with. */
  readonly stop?: AbortSignal;
  /** May be sent a second time when the first was never answered. Default false. */
  readonly repeatable?: boolean;
  /** An execution for a project, with the time limit that it has at the engine. Absent: a statement of the service. */
  readonly execution?: { readonly projectId: number; readonly limitSeconds: number };
  /** Answered with the message as soon as it begins, instead of with its body. `timeoutMs` and `signal` end there. */
  readonly isStreamed?: boolean;
}

/** Beyond this the parameters go into the body: the engine takes addresses up to 1 MiB. */
const MAX_ADDRESS_BYTES = 65_536;

export interface Message {
  readonly path: string;
  readonly headers: Record<string, string | number>;
  /** A text goes to the socket together with the headers. */
  readonly body: Buffer | string;
}

export function toMessage(request: EngineRequest): Message {
  const { login, queryId } = request;
  const headers: Record<string, string | number> = {
    'X-ClickHouse-User': login.user,
    'X-ClickHouse-Key': login.password,
  };
  let options = sharedText(request.settings ?? noSettings);
  if (login.database !== undefined) options += `&database=${encodeURIComponent(login.database)}`;
  options += pairsText('', request.ownSettings ?? noSettings);
  if (queryId !== undefined) options += `&query_id=${encodeURIComponent(queryId)}`;
  if (request.rows !== undefined) {
    const path = `/?${options.slice(1)}&query=${encodeURIComponent(request.sql)}`;
    return { path, headers, body: '' };
  }
  const params = request.params ?? noSettings;
  const path = `/?${(options + pairsText('param_', params)).slice(1)}`;
  if (path.length <= MAX_ADDRESS_BYTES) {
    headers['Content-Length'] = Buffer.byteLength(request.sql);
    return { path, headers, body: request.sql };
  }
  const fields = Object.entries(params).map(([name, text]): [string, string] => [
    `param_${name}`,
    text,
  ]);
  const form = toMultipart([...fields, ['query', request.sql]]);
  headers['Content-Type'] = form.contentType;
  headers['Content-Length'] = form.body.length;
  return { path: `/?${options.slice(1)}`, headers, body: form.body };
}

const noSettings: Readonly<Record<string, string>> = {};
const sharedTexts = new WeakMap<object, string>();

/** Written once for each object of settings; most requests share one. */
function sharedText(settings: Readonly<Record<string, string>>): string {
  const known = sharedTexts.get(settings);
  if (known !== undefined) return known;
  const text = pairsText('', settings);
  sharedTexts.set(settings, text);
  return text;
}

/** Each pair with an ampersand in front. */
function pairsText(prefix: string, pairs: Readonly<Record<string, string>>): string {
  let text = '';
  for (const [name, value] of Object.entries(pairs)) {
    text += `&${prefix}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return text;
}
