/** Responses of operations that are not runs. */
import { createHash } from 'node:crypto';
import { type RawResults, spliceRawJson } from '../graphql/raw-json.ts';
import { ifNoneMatchOf, matchingTag } from '../http/conditional.ts';
import type { HttpResponse, RequestText } from '../http/message.ts';

const json = { 'content-type': 'application/json; charset=utf-8' } as const;

/** What an operation returns. */
export interface JsonResult {
  readonly body: unknown;
  /** Of the endpoint that it shows; undefined: the result is of something else. */
  readonly revision?: string | undefined;
}

interface RenderedResult extends JsonResult {
  /** The result bytes within the body; see raw-json.ts. */
  readonly rawResults: RawResults;
}

/**
 * A read may be stored by its caller alone, who asks each time whether it is still the same. Its ETag names the exact
 * bytes; one of an endpoint begins with its revision, by which `If-Match` compares.
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

/** The revisions that the tags name; a bare revision, as GraphQL tells it, is accepted too. */
export function revisionsOf(tags: readonly string[] | null): readonly string[] | null {
  return tags?.map((tag) => tag.split('.')[0] ?? '') ?? null;
}
