/**
 * Sends a file to the documented route for rows, `PUT /tables/:table/rows`, because GraphQL cannot carry bytes. Uses
 * XMLHttpRequest, because `fetch` does not report upload progress.
 */
import { ApiError } from '../api/client.ts';
import { sendWithKey } from '../api/send-with-key.ts';
import { parametersOf } from './file-kind.ts';

export type LoadMode = 'create' | 'append' | 'replace';

export interface FileToLoad {
  readonly projectId: string;
  readonly table: string;
  readonly file: File;
  /** One of `loadFormats`. */
  readonly format: string;
  readonly mode: LoadMode;
  /** Replaces the table even if that breaks saved endpoints. */
  readonly force: boolean;
  /** Identifies the load while it is in progress. */
  readonly requestId: string;
}

export interface LoadedRows {
  readonly table: string;
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

export interface Sending {
  /** Rejects with `ApiError`, or with an `AbortError` after `stop`. */
  readonly done: Promise<LoadedRows>;
  /** Nothing has changed then, because a load is atomic. */
  readonly stop: () => void;
}

/** @param onSent called with the bytes sent; once it is all of them, the service is working. */
export function sendFile(load: FileToLoad, onSent: (bytes: number) => void): Sending {
  let sending: XMLHttpRequest | null = null;
  let isStopped = false;
  const send = (key: string) => {
    if (isStopped) throw stopped();
    sending = new XMLHttpRequest();
    onSent(0);
    return put(sending, { load, key }, onSent);
  };
  const done = sendWithKey(send, ({ status }) => status === 401).then((request) => {
    if (request.status !== 200) throw refusal(request);
    return JSON.parse(request.responseText) as LoadedRows;
  });
  const stop = () => {
    isStopped = true;
    sending?.abort();
  };
  return { done, stop };
}

/** Resolves with any response of the service. */
function put(
  request: XMLHttpRequest,
  { load, key }: { readonly load: FileToLoad; readonly key: string },
  onSent: (bytes: number) => void,
): Promise<XMLHttpRequest> {
  const { projectId, table, file, format, mode, force, requestId } = load;
  const query = new URLSearchParams({
    ...parametersOf(format),
    mode,
    ...(force ? { force: 'true' } : {}),
  });
  const path = `/api/projects/${encodeURIComponent(projectId)}/tables/${encodeURIComponent(table)}/rows?${query}`;
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, file.size));
    request.upload.onload = () => onSent(file.size);
    request.onload = () => resolve(request);
    request.onabort = () => reject(stopped());
    request.onerror = () =>
      reject(
        new ApiError(
          'The connection was lost before the service answered. The rows may or may not have been loaded: check the table.',
          'unreachable',
          null,
        ),
      );
    request.open('PUT', path);
    request.setRequestHeader('authorization', `Bearer ${key}`);
    request.setRequestHeader('x-request-id', requestId);
    // The URL sets the format; a type guessed by the browser could be refused.
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.send(file);
  });
}

function stopped(): DOMException {
  return new DOMException('Stopped', 'AbortError');
}

function refusal({ status, responseText }: XMLHttpRequest): ApiError {
  const { detail, code, attr } = readRefusal(responseText);
  return new ApiError(detail ?? `The service answered ${status}.`, code ?? 'error', attr ?? null);
}

interface Refusal {
  readonly detail?: string;
  readonly code?: string;
  readonly attr?: string | null;
}

function readRefusal(text: string): Refusal {
  try {
    return JSON.parse(text) as Refusal;
  } catch {
    return {};
  }
}
