/** What a body that is compressed on its way is told. */
export const codedBody = 'Send the body as it is, without a Content-Encoding.';

/** Whether the header Content-Encoding says that nothing was done to the body. */
export function isUncoded(header: string | null): boolean {
  return header === null || /^\s*(identity)?\s*$/i.test(header);
}
