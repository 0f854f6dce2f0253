/**
 * The body of a response as it is sent: bytes in pieces; or, when it is small, a text each of whose characters is
 * one byte (latin1), which a socket takes together with the headers.
 */
export type ResponseBody = readonly Buffer[] | string;

/** In bytes. */
export function lengthOf(body: ResponseBody): number {
  if (typeof body === 'string') return body.length;
  return body.reduce((sum, piece) => sum + piece.length, 0);
}
