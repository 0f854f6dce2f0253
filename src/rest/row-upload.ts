/** Uploads of rows, the only requests whose bodies are streams. */
import { Readable } from 'node:stream';
import type { HeaderReader } from '../http/message.ts';
import type { Upload } from '../tables/load-rows.ts';

const ROWS = /^\/api\/(?:projects|environments)\/[^/]+\/tables\/[^/]+\/rows\/?$/;

/** Whether the body of such a request is passed on as a stream. */
export function isRowUpload(method: string, path: string): boolean {
  return method === 'PUT' && ROWS.test(path);
}

export interface UploadRequest {
  readonly headers: HeaderReader;
  readonly body: Buffer;
  readonly upload?: AsyncIterable<Buffer> | null;
  readonly signal: AbortSignal;
}

export function uploadOf({ headers, body, upload, signal }: UploadRequest): Upload {
  const length = headers.get('content-length');
  return {
    body: upload ?? Readable.from([body]),
    contentType: headers.get('content-type'),
    contentEncoding: headers.get('content-encoding'),
    contentLength: length === null ? null : Number(length),
    signal,
  };
}
