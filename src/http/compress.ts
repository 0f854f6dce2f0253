/** Content encodings, and which of them a caller accepts. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';

/** Our preference when a caller accepts several equally, by cost and savings. */
export const contentEncodings = ['zstd', 'br', 'gzip'] as const;
export type ContentEncoding = (typeof contentEncodings)[number];

/** For smaller bodies, compression costs more time than it saves on the network. */
const minEncodedBytes = 1400;

/**
 * The encoding of a body of that size for a caller with this `Accept-Encoding` header; null for none. Source: RFC 9110,
 * 12.5.3.
 */
export function encodingFor(bytes: number, header: string | null): ContentEncoding | null {
  if (bytes < minEncodedBytes || header === null || header.length > 500) return null;
  const chosen = choose(header);
  return chosen === 'identity' ? null : chosen;
}

/** The same for a body of unknown length. */
export function encodingForStream(header: string | null): ContentEncoding | null {
  return encodingFor(Number.POSITIVE_INFINITY, header);
}

function choose(header: string): ContentEncoding | 'identity' {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...options] = part.split(';').map((text) => text.trim());
    const weight = options.find((option) => option.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  let best: ContentEncoding | 'identity' = 'identity';
  let bestWeight = weights.get('identity') ?? 0;
  for (const encoding of contentEncodings) {
    const weight = weightOf(encoding);
    if (weight > 0 && (weight > bestWeight || (best === 'identity' && weight === bestWeight))) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

/** The name of the body with that key in that encoding. */
export function bodyName(key: string, encoding: ContentEncoding | null): string {
  return encoding === null ? key : `${key}/${encoding}`;
}

const toZstd = promisify(zstdCompress);
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

const compressors: Readonly<Record<ContentEncoding, (bytes: Buffer) => Promise<Buffer>>> = {
  zstd: (bytes) => toZstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  br: (bytes) =>
    toBrotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 1,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => toGzip(bytes, { level: 1 }),
};

/** Runs on the thread pool, at the lowest levels: a higher one takes several times as long and saves a few per cent. */
export function compress(bytes: Buffer, encoding: ContentEncoding): Promise<Buffer> {
  return compressors[encoding](bytes);
}
