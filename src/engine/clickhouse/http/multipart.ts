import { randomBytes } from 'node:crypto';

/** Form fields as one multipart body, in the order given (RFC 7578). */
export function toMultipart(fields: readonly (readonly [string, string])[]): {
  readonly contentType: string;
  readonly body: Buffer;
} {
  const boundary = randomBytes(24).toString('hex');
  const parts = fields.map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.from(`${parts.join('')}--${boundary}--\r\n`),
  };
}
