/** Texts encrypted with AES-256-GCM using one of several keys. Pure but for the random nonce. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

export interface Sealer {
  /** Uses the first key. @param context what the text belongs to; `open` needs the same context. */
  seal(text: string, context: string): Buffer;
  /** @throws SealError when none of the keys matches, or for another context. */
  open(sealed: Uint8Array, context: string): string;
}

/** The message is for an operator and contains nothing of the text. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** Precedes each sealed text: the format version, and the id of its key. */
const VERSION = 1;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/** @param keysText comma-separated keys of 64 hexadecimal digits; new texts use the first. Null for an empty text. */
export function openSealer(keysText: string): Sealer | null {
  const keys = keysText === '' ? [] : keysText.split(',').map((hex) => Buffer.from(hex, 'hex'));
  const [first] = keys;
  if (first === undefined) return null;
  const byId = new Map(keys.map((key) => [idOf(key).toString('hex'), key]));
  return {
    seal: (text, context) => seal(first, text, context),
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      const key = byId.get(bytes.subarray(1, 1 + KEY_ID_BYTES).toString('hex'));
      if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES + TAG_BYTES || key === undefined) {
        throw new SealError('their key is not in CREDENTIALS_KEY');
      }
      return unseal(key, bytes, context);
    },
  };
}

/** Identifies a key without revealing anything about it. */
function idOf(key: Buffer): Buffer {
  return createHash('sha256').update('key id').update(key).digest().subarray(0, KEY_ID_BYTES);
}

function seal(key: Buffer, text: string, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const head = Buffer.concat([Buffer.from([VERSION]), idOf(key), nonce]);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.concat([head, Buffer.from(context)]));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([head, cipher.getAuthTag(), body]);
}

function unseal(key: Buffer, bytes: Buffer, context: string): string {
  const head = bytes.subarray(0, HEAD_BYTES);
  const tag = bytes.subarray(HEAD_BYTES, HEAD_BYTES + TAG_BYTES);
  const nonce = head.subarray(1 + KEY_ID_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.concat([head, Buffer.from(context)]));
  decipher.setAuthTag(tag);
  try {
    const body = bytes.subarray(HEAD_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new SealError('what is stored was modified after it was encrypted', { cause });
  }
}
