/** Interprets the headers of an upload. Pure. */
import { type FormatName, formatNames, isText } from '../engine/load-formats.ts';
import { ServiceError } from '../errors/service-error.ts';
import { charsetsOf } from '../http/media-type.ts';
import { parseEncoding } from '../lib/decode-text.ts';

export const uploadModes = ['replace', 'append', 'create'] as const;

/** `append` creates the table if it does not exist; `create` refuses an existing one. */
export type UploadMode = (typeof uploadModes)[number];

export interface UploadType {
  readonly format: FormatName;
  /** Encoding of text data. */
  readonly encoding: string;
}

/** The media types of each format; documents name the first one. */
export const loadMediaTypes: Readonly<Record<FormatName, readonly string[]>> = {
  csv: ['text/csv', 'application/csv'],
  tsv: ['text/tab-separated-values'],
  ndjson: [
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonlines',
  ],
  json: ['application/json'],
  parquet: ['application/vnd.apache.parquet', 'application/x-parquet'],
  arrow: ['application/vnd.apache.arrow.stream', 'application/vnd.apache.arrow.file'],
};

const compressions: ReadonlySet<string> = new Set([
  ...['', 'identity', 'gzip', 'x-gzip', 'zstd', 'bz2', 'bzip2', 'x-bzip2'],
]);

/**
 * @param given the format that the caller names, which overrides the media type.
 * @throws ServiceError `unsupported_media_type` for an unsupported type, charset or content encoding.
 */
export function readUploadType(
  headers: { readonly contentType: string | null; readonly contentEncoding: string | null },
  given: FormatName | undefined,
): UploadType {
  const [type = '', ...parameters] = (headers.contentType ?? '').split(';');
  const format = given ?? formatOfType(type.trim().toLowerCase());
  if (format === null)
    throw unsupported(`"${type.trim().slice(0, 100)}" is not a media type of rows`);
  const encoding = (headers.contentEncoding ?? '').trim().toLowerCase();
  if (!compressions.has(encoding))
    throw unsupported('The Content-Encoding is not gzip, zstd or bz2');
  const [charset] = charsetsOf(parameters);
  const parsed = isText(format) ? parseEncoding(charset ?? 'utf-8') : 'utf-8';
  if (parsed === null) throw unsupported('The charset of the Content-Type is not supported');
  return { format, encoding: parsed };
}

function formatOfType(type: string): FormatName | null {
  return formatNames.find((name) => loadMediaTypes[name].includes(type)) ?? null;
}

function unsupported(reason: string): ServiceError {
  const types = formatNames.map((name) => loadMediaTypes[name][0]).join(', ');
  return new ServiceError(
    'unsupported_media_type',
    `${reason}. Send a Content-Type of ${types}, or give the format with ?format=.`,
  );
}
