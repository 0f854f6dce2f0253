/** Responses of operations that are not runs. */
import { createHash } from 'node:crypto';
import { type RawResults, spliceRawJson } from '../graphql/raw-json.ts';
import { ifNoneMatchOf, matchingTag } from '../http/conditional.ts';
import type { HttpResponse, RequestText } from '../http/message.ts';

const json = { 'content-type': 'application/json; charset=utf-8' } as const;

/** What an operation returns. */
export interface JsonResult {
  readonly body: unknown;
  /** Revision of the returned endpoint; undefined when the result is something else. */
  readonly revision?: string | undefined;
}

interface RenderedResult extends JsonResult {
  /** The raw result bytes within the body; see raw-json.ts. */
  readonly rawResults: RawResults;
}

/**
 * Only the caller itself may store a read, and must revalidate it each time. Its ETag identifies the exact bytes; that
 * of an endpoint begins with its revision, which `If-Match` compares.
 */
export function respondJson(
  request: Pick<RequestText, 'method' | 'headers'>,
  status: number,
  { body, revision, rawResults }: RenderedResult,
): HttpResponse {
  const bytes = spliceRawJson(JSON.stringify(body), rawResults);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const etag = isRead || revision !== undefined ? tagOf(bytes, revision) : null;
  if (!isRead || etag === null) {
    const tagged = etag === null ? {} : { etag };
    return { status, headers: { ...json, 'cache-control': 'no-store', ...tagged }, body: bytes };
  }
  const shared = { etag, 'cache-control': 'private, no-cache', vary: 'Authorization' };
  const matched = matchingTag(ifNoneMatchOf(request), { etag, equivalentEtags: [etag] });
  if (matched !== null) return { status: 304, headers: shared, body: [] };
  return { status, headers: { ...json, ...shared }, body: bytes };
}

function tagOf(bytes: readonly Buffer[], revision: string | undefined): string {
  const hash = createHash('sha256');
  for (const part of bytes) hash.update(part);
  const content = hash.digest('base64url').slice(0, 22);
  return revision === undefined ? `"${content}"` : `"${revision}.${content}"`;
}

/** The revisions in the tags. Also accepts a bare revision, as returned by GraphQL. */
export function revisionsOf(tags: readonly string[] | null): readonly string[] | null {
  return tags?.map((tag) => tag.split('.')[0] ?? '') ?? null;
}
