/** Bodies of answers that are sent again and again: made once, compressed once. */
import { type AnswerBody, lengthOf } from '../lib/answer-body.ts';
import { type ContentEncoding, compress } from '../lib/content-encoding.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { ResultCache } from './result-cache.ts';

export interface AnswerForms {
  /** The kept body in that encoding. */
  find(key: string, encoding: ContentEncoding | null): AnswerBody | undefined;
  /** The body in that encoding: the kept one at once, else made now. */
  get(wanted: WantedForm): MaybePromise<AnswerBody>;
}

export interface WantedForm {
  /** Equal for equal bodies only, whatever the encoding: it holds a content tag. */
  readonly key: string;
  readonly encoding: ContentEncoding | null;
  /** Whether the same answer may be asked for again. */
  readonly isRepeated: boolean;
  readonly make: () => readonly Buffer[];
}

/** Up to this size a body is one text with its headers: one write to the socket, and none of the bytes are shared. */
const maxTextBytes = 16_384;

export function openAnswerForms(cache: ResultCache): AnswerForms {
  const underWay = new Map<string, Promise<AnswerBody>>();

  async function encode(wanted: WantedForm, encoding: ContentEncoding): Promise<AnswerBody> {
    const form = toForm([await compress(Buffer.concat(wanted.make()), encoding)]);
    if (wanted.isRepeated) cache.setForm(nameOf(wanted.key, encoding), form);
    return form;
  }

  return {
    find: (key, encoding) => cache.getForm(nameOf(key, encoding)),
    get(wanted) {
      const { key, encoding } = wanted;
      const name = nameOf(key, encoding);
      const kept = cache.getForm(name);
      if (kept !== undefined) return kept;
      if (encoding === null) {
        const form = toForm(wanted.make());
        // A large body shares the bytes of its rows, which the cache holds already.
        if (typeof form === 'string' && wanted.isRepeated) cache.setForm(name, form);
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

function nameOf(key: string, encoding: ContentEncoding | null): string {
  return encoding === null ? key : `${key}/${encoding}`;
}

function toForm(pieces: readonly Buffer[]): AnswerBody {
  return lengthOf(pieces) > maxTextBytes ? pieces : Buffer.concat(pieces).toString('latin1');
}
