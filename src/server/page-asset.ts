/** Files of the HTML pages: compressed once, and not resent to a browser that has them. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { encodingFor } from '../http/compress.ts';
import { ifNoneMatchOf, matchingTag, tagIn } from '../http/conditional.ts';
import type { HttpRequest, HttpResponse } from '../http/message.ts';

export interface PageAsset {
  readonly contentType: string;
  /** Tag of the plain bytes; the tags of other encodings are derived from it. */
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

const compress = promisify(gzip);

export async function toPageAsset(
  contentType: string,
  content: string | Buffer,
): Promise<PageAsset> {
  const plain = Buffer.from(content);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { contentType, etag, plain, gzipped: await compress(plain, { level: 6 }) };
}

/**
 * The file, or 304 to a browser that has it. Unless `headers` say otherwise, a browser may store it but revalidates
 * each time, so that an upgrade shows at once.
 */
export function respondAsset(
  request: HttpRequest,
  { contentType, etag, plain, gzipped }: PageAsset,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const encoding = acceptsGzip(request, plain.length) ? 'gzip' : null;
  const shared = {
    'cache-control': 'private, no-cache',
    vary: 'Accept, Accept-Encoding',
    ...headers,
  };
  const known = matchingTag(ifNoneMatchOf(request), { etag, equivalentEtags: [etag] });
  if (known !== null) return { status: 304, headers: { ...shared, etag: known }, body: [] };
  return {
    status: 200,
    headers: {
      ...shared,
      etag: tagIn(encoding, etag),
      'content-type': contentType,
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    },
    body: [encoding === null ? plain : gzipped],
  };
}

/** Only gzip is cached: every browser accepts it. */
function acceptsGzip({ headers }: HttpRequest, bytes: number): boolean {
  const accepted = headers.get('accept-encoding') ?? '';
  return /\bgzip\b/.test(accepted) && encodingFor(bytes, accepted) !== null;
}
