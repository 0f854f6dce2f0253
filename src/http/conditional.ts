/** Entity tags and conditional requests. Source: RFC 9110, 8.8.3 and 13.1.2. */
import { invalidInput } from '../errors/service-error.ts';
import { type ContentEncoding, contentEncodings } from './compress.ts';

/** The same content in another encoding is another representation, so it has its own tag. */
export function tagIn(encoding: ContentEncoding | null, tag: string): string {
  return encoding === null ? tag : `${tag.slice(0, -1)}-${encoding}"`;
}

const ENCODED_TAG = new RegExp(`-(?:${contentEncodings.join('|')})"$`);

/**
 * The caller's tag if it matches the current content in any encoding; null when the caller needs the content.
 *
 * @param current the content's own tag first.
 */
export function matchingTag(
  ifNoneMatch: string | null,
  current: { readonly etag: string; readonly equivalentEtags: readonly string[] },
): string | null {
  if (ifNoneMatch === null) return null;
  if (ifNoneMatch.trim() === '*') return current.etag;
  for (const part of ifNoneMatch.split(',')) {
    const tag = part.trim().replace(/^W\//, '');
    if (current.equivalentEtags.includes(tag.replace(ENCODED_TAG, '"'))) return tag;
  }
  return null;
}

/** The `If-None-Match` header of GET and HEAD; null for other methods. */
export function ifNoneMatchOf({
  method,
  headers,
}: {
  readonly method: string;
  readonly headers: { get(name: string): string | null };
}): string | null {
  return method === 'GET' || method === 'HEAD' ? headers.get('if-none-match') : null;
}

const ENTITY_TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;

/**
 * The tags of an `If-Match` header without their quotes, `*` for any; null without the header. Weak tags match nothing,
 * so they are skipped. Throws `invalid_input` for anything that is not a list of tags, since it must not count as no
 * condition. Source: RFC 9110, 13.1.1.
 */
export function readIfMatch(header: string | null): readonly string[] | null {
  if (header === null) return null;
  if (header.trim() === '*') return ['*'];
  const parts = header.match(/(?:[^,"]|"[^"]*")+/g) ?? [];
  const tags = parts.map((part) => part.trim()).filter((part) => part !== '');
  const read = tags.map((tag) => ENTITY_TAG.exec(tag));
  if (read.length === 0 || read.includes(null))
    throw invalidInput('If-Match', 'If-Match must be * or a list of ETags in double quotes.');
  return read.flatMap((tag) => (tag?.[1] === undefined ? [tag?.[2] ?? ''] : []));
}
