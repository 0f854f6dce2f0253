/** Text responses other than JSON. */
import { bodyName, encodingForStream } from '../http/compress.ts';
import { ifNoneMatchOf, matchingTag, tagIn } from '../http/conditional.ts';
import type { HttpResponse, RequestText } from '../http/message.ts';
import type { RunDeps } from '../runs/deps.ts';

export interface TextResult {
  /** Strong and quoted: equal tags mean equal texts. */
  readonly etag: string;
  /** UTF-8, in pieces. */
  readonly read: () => Promise<readonly Buffer[]>;
}

/** Clients may store it but must revalidate it. A compressed body is created once per ETag. */
export async function respondText(
  request: Pick<RequestText, 'method' | 'headers'>,
  { etag, read }: TextResult,
  bodies: RunDeps['bodies'],
): Promise<HttpResponse> {
  const encoding = encodingForStream(request.headers.get('accept-encoding'));
  const matched = matchingTag(ifNoneMatchOf(request), { etag, equivalentEtags: [etag] });
  const shared = {
    etag: matched ?? tagIn(encoding, etag),
    'cache-control': 'private, no-cache',
    vary: 'Authorization, Accept-Encoding',
  };
  if (matched !== null) return { status: 304, headers: shared, body: [] };
  const own = { 'content-type': 'text/plain; charset=utf-8', ...shared };
  if (encoding === null) return { status: 200, headers: own, body: await read() };
  const headers = { ...own, 'content-encoding': encoding };
  const name = bodyName(etag, encoding);
  const known = bodies.find(name, noRows);
  if (known !== undefined) return { status: 200, headers, body: known };
  const pieces = await read();
  const make = () => pieces;
  const body = await bodies.get({ name, encoding, rows: noRows, isRepeated: true, make });
  return { status: 200, headers, body };
}

const noRows = Buffer.alloc(0);
