/** Bodies of answers that are sent again and again: made once, compressed once. */
import { type ContentEncoding, compress } from '../http/compress.ts';
import { lengthOf, type ResponseBody } from '../http/response-body.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { CachedBody, ResultCache } from './result-cache.ts';

export interface ResponseBodies {
  /** The kept body of that name around the rows that it was made of. */
  find(name: string, rows: Buffer): ResponseBody | undefined;
  /** The kept body at once, else made now. */
  get(wanted: BodyRequest): MaybePromise<ResponseBody>;
}

export interface BodyRequest {
  /** By `formName`, of a key that names the content. */
  readonly name: string;
  readonly encoding: ContentEncoding | null;
  /** A piece of what `make` makes, as a rule the most of it. The cache holds it already. */
  readonly rows: Buffer;
  /** Whether the same answer may be asked for again. */
  readonly isRepeated: boolean;
  readonly make: () => readonly Buffer[];
}

/** Up to this size a body is one text with its headers: one write to the socket, and none of the bytes are shared. */
const maxTextBytes = 16_384;

export function openResponseBodies(cache: ResultCache): ResponseBodies {
  const underWay = new Map<string, Promise<ResponseBody>>();

  function find(name: string, rows: Buffer): ResponseBody | undefined {
    const kept = cache.getBody(name);
    if (kept === undefined || typeof kept === 'string') return kept;
    return kept.map((piece) => piece ?? rows);
  }

  async function encode(wanted: BodyRequest, encoding: ContentEncoding): Promise<ResponseBody> {
    const form = toForm([await compress(Buffer.concat(wanted.make()), encoding)]);
    if (wanted.isRepeated) cache.setBody(wanted.name, form);
    return form;
  }

  return {
    find,
    get(wanted) {
      const { name, encoding, rows } = wanted;
      const kept = find(name, rows);
      if (kept !== undefined) return kept;
      if (encoding === null) {
        const form = toForm(wanted.make());
        if (wanted.isRepeated) cache.setBody(name, withoutRows(form, rows));
        return form;
      }
      const started = underWay.get(name);
      if (started !== undefined) return started;
      const work = encode(wanted, encoding).finally(() => underWay.delete(name));
      underWay.set(name, work);
      return work;
    },
  };
}

function toForm(pieces: readonly Buffer[]): ResponseBody {
  return lengthOf(pieces) > maxTextBytes ? pieces : Buffer.concat(pieces).toString('latin1');
}

/** Neither held nor weighed twice. */
function withoutRows(form: ResponseBody, rows: Buffer): CachedBody {
  return typeof form === 'string' ? form : form.map((piece) => (piece === rows ? null : piece));
}
