/**
 * The body of a response as sent: pieces of bytes or, if small, a latin1 string, which is written together with the
 * headers.
 */
export type ResponseBody = readonly Buffer[] | string;

/** In bytes. */
export function lengthOf(body: ResponseBody): number {
  if (typeof body === 'string') return body.length;
  return body.reduce((sum, piece) => sum + piece.length, 0);
}
