/** A request to the engine as an HTTP message. */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { currentSpan } from '../../../tracing/span.ts';
import type { EngineParams } from '../../query-engine.ts';
import type { EngineLogin } from './connection.ts';

/** Settings of the engine by name. */
export type Settings = Readonly<Record<string, string>>;

export interface EngineRequest {
  readonly login: EngineLogin & { readonly database?: string };
  readonly sql: string;
  /** Values of the engine's typed parameters, already escaped. */
  readonly params?: EngineParams;
  /** Engine settings and options of its HTTP interface: an object shared by many requests, encoded once. */
  readonly settings?: Settings;
  /** Settings of this request alone. */
  readonly ownSettings?: Settings;
  readonly queryId?: string;
  /** Rows for an INSERT; `sql` then ends with `FORMAT <name>`. */
  readonly rows?: Readable;
  /** Milliseconds from sending to the last byte. */
  readonly timeoutMs: number;
  /** Limit for the body of the response; default 64 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
  /** Its abort reason becomes the error of the request. */
  readonly stop?: AbortSignal;
  /** Whether it may be sent again when no response arrived. Default false. */
  readonly repeatable?: boolean;
  /** Set for an execution of a project, with its time limit at the engine. Absent for a statement of the service. */
  readonly execution?: { readonly projectId: number; readonly limitSeconds: number };
  /** Resolves as soon as the response headers arrive; `timeoutMs` and `signal` then no longer apply. */
  readonly isStreamed?: boolean;
}

/** Above this the parameters, or the statement of rows, go into the body: the engine accepts URLs up to 1 MiB. */
const MAX_URL_BYTES = 65_536;

export interface Message {
  readonly path: string;
  readonly headers: Record<string, string | number>;
  /** A string is written together with the headers. With rows it comes before them. */
  readonly body: Buffer | string;
}

export function toMessage(request: EngineRequest): Message {
  const { login, queryId } = request;
  const headers: Record<string, string | number> = {
    'X-ClickHouse-User': login.user,
    'X-ClickHouse-Key': login.password,
    ...currentSpan()?.headers,
  };
  let options = encodeShared(request.settings ?? noSettings);
  if (login.database !== undefined) options += `&database=${encodeURIComponent(login.database)}`;
  options += encodePairs('', request.ownSettings ?? noSettings);
  if (queryId !== undefined) options += `&query_id=${encodeURIComponent(queryId)}`;
  if (request.rows !== undefined) {
    const path = `/?${options.slice(1)}&query=${encodeURIComponent(request.sql)}`;
    if (path.length <= MAX_URL_BYTES) return { path, headers, body: '' };
    return { path: `/?${options.slice(1)}`, headers, body: `${request.sql}\n` };
  }
  const params = request.params ?? noSettings;
  const path = `/?${(options + encodePairs('param_', params)).slice(1)}`;
  if (path.length <= MAX_URL_BYTES) {
    headers['Content-Length'] = Buffer.byteLength(request.sql);
    return { path, headers, body: request.sql };
  }
  const boundary = randomBytes(24).toString('hex');
  const fields = Object.entries(params).map(([name, value]) => ({ name: `param_${name}`, value }));
  const body = multipartBody(boundary, [...fields, { name: 'query', value: request.sql }]);
  headers['Content-Type'] = `multipart/form-data; boundary=${boundary}`;
  headers['Content-Length'] = body.length;
  return { path: `/?${options.slice(1)}`, headers, body };
}

/** RFC 7578. */
function multipartBody(
  boundary: string,
  fields: readonly { readonly name: string; readonly value: string }[],
): Buffer {
  const parts = fields.map(
    ({ name, value }) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return Buffer.from(`${parts.join('')}--${boundary}--\r\n`);
}

const noSettings: Settings = {};
const encodedSettings = new WeakMap<Settings, string>();

/** Encoded once per object; most requests share one. */
function encodeShared(settings: Settings): string {
  const cached = encodedSettings.get(settings);
  if (cached !== undefined) return cached;
  const text = encodePairs('', settings);
  encodedSettings.set(settings, text);
  return text;
}

/** Each pair starts with an ampersand. */
function encodePairs(prefix: string, pairs: Settings): string {
  let text = '';
  for (const [name, value] of Object.entries(pairs)) {
    text += `&${prefix}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return text;
}
