/** JSON as the body of a request, for both interfaces. */
import { parseJson } from '../lib/parse-json.ts';

/** Whether the header Content-Type names JSON. */
export function isJsonType(header: string | null): boolean {
  return /^application\/json\s*(;|$)/i.test((header ?? '').trim());
}

/** The message for a body that is not JSON. */
export const notJsonMessage = 'The body is not JSON, or is nested too deep. Send one JSON object.';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws for invalid UTF-8, and as `parseJson` does. */
export function parseJsonBytes(bytes: Buffer | ArrayBuffer): unknown {
  return parseJson(utf8.decode(bytes));
}

/** The message for a compressed body. */
export const encodedBodyMessage = 'Send the body as it is, without a Content-Encoding.';

/** Whether the header Content-Encoding leaves the body as it is. */
export function isUnencoded(header: string | null): boolean {
  return header === null || /^\s*(identity)?\s*$/i.test(header);
}
