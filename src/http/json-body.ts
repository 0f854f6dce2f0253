/** JSON request bodies, for both interfaces. */
import { InexactNumberError, parseJson } from '../lib/parse-json.ts';
import { charsetsOf } from './media-type.ts';

/**
 * Whether the Content-Type header names JSON in UTF-8. RFC 8259 defines no charset for JSON, but clients send one, and
 * a body in another charset would be misread.
 */
export function isJsonType(header: string | null): boolean {
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  if (!/^application\/json$/i.test(type)) return false;
  return charsetsOf(parameters).every((charset) => /^utf-?8$/i.test(charset));
}

/** The message for a body that is not JSON in UTF-8. */
export const notJsonTypeMessage =
  'Send the body with Content-Type: application/json, in UTF-8; no other charset is accepted.';

/** What is wrong with a JSON text that could not be parsed. */
export interface JsonFault {
  readonly code: 'malformed_json' | 'invalid_input';
  readonly message: string;
}

/** @param error of `parseJson`. @param message for a text that is not JSON. */
export function jsonFault(error: unknown, message = notJson): JsonFault {
  return error instanceof InexactNumberError
    ? { code: 'invalid_input', message: error.message }
    : { code: 'malformed_json', message };
}

const notJson = 'The body is not valid JSON or is nested too deeply. Send one JSON object.';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws for invalid UTF-8, and as `parseJson` does. */
export function parseJsonBytes(bytes: Buffer | ArrayBuffer): unknown {
  return parseJson(utf8.decode(bytes));
}

/** The message for a compressed body. */
export const encodedBodyMessage = 'Send the body uncompressed, without Content-Encoding.';

/** Whether the Content-Encoding header means an unencoded body. */
export function isUnencoded(header: string | null): boolean {
  return /^(identity)?$/i.test((header ?? '').trim());
}
