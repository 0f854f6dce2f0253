/** Bodies of repeatedly sent responses: built once, compressed once. */
import { type ContentEncoding, compress } from '../http/compress.ts';
import { lengthOf, type ResponseBody } from '../http/response-body.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { defineMemo } from '../lib/memo.ts';
import type { CachedBody, ResultCache } from './result-cache.ts';

export interface ResponseBodies {
  /** The cached body of that name, built around these rows. */
  find(name: string, rows: Buffer): ResponseBody | undefined;
  /** The cached body, else a new one. */
  get(wanted: BodyRequest): MaybePromise<ResponseBody>;
}

interface BodyRequest {
  /** A `bodyName` of a key that identifies the content. */
  readonly name: string;
  readonly encoding: ContentEncoding | null;
  /** The rows within the body, usually its largest part, which the result cache already holds. */
  readonly rows: Buffer;
  /** Whether the same response may be requested again. */
  readonly isRepeated: boolean;
  readonly make: () => readonly Buffer[];
}

/**
 * Up to this size a body is a string, which is written together with its headers: one socket write, and no shared
 * bytes.
 */
const maxTextBytes = 16_384;

const bodyMemo = defineMemo('response body');

export function openResponseBodies(cache: ResultCache): ResponseBodies {
  const underWay = new Map<string, Promise<ResponseBody>>();

  function find(name: string, rows: Buffer): ResponseBody | undefined {
    const cached = bodyMemo.isOn ? cache.getBody(name) : undefined;
    if (cached === undefined || typeof cached === 'string') return cached;
    return cached.map((piece) => piece ?? rows);
  }

  async function encode(wanted: BodyRequest, encoding: ContentEncoding): Promise<ResponseBody> {
    const body = toBody([await compress(Buffer.concat(wanted.make()), encoding)]);
    if (wanted.isRepeated) cache.setBody(wanted.name, body);
    return body;
  }

  return {
    find,
    get(wanted) {
      const { name, encoding, rows } = wanted;
      const cached = find(name, rows);
      if (cached !== undefined) return cached;
      if (encoding === null) {
        const body = toBody(wanted.make());
        if (wanted.isRepeated) cache.setBody(name, withoutRows(body, rows));
        return body;
      }
      const started = underWay.get(name);
      if (started !== undefined) return started;
      const work = encode(wanted, encoding).finally(() => underWay.delete(name));
      underWay.set(name, work);
      return work;
    },
  };
}

function toBody(pieces: readonly Buffer[]): ResponseBody {
  return lengthOf(pieces) > maxTextBytes ? pieces : Buffer.concat(pieces).toString('latin1');
}

/** The rows are cached with the result, so they are not stored and counted twice. */
function withoutRows(body: ResponseBody, rows: Buffer): CachedBody {
  return typeof body === 'string' ? body : body.map((piece) => (piece === rows ? null : piece));
}
