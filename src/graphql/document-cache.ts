import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Parsed documents by their text, so that what a client sends again is neither parsed nor validated again. */
export interface DocumentCache {
  get(text: string): DocumentNode | undefined;
  set(text: string, document: DocumentNode): void;
}

/** What all documents together may take, by the estimate below. */
const maxBytes = 67_108_864;
/** No program sends longer ones again and again; anybody may send them once. */
const maxCharacters = 65_536;
/** What a parsed document takes for each character of its text, up to the most tokens that it may have. */
const bytesPerCharacter = 150;
const countedCharacters = 16_384;

/** Bounded in bytes: by their number alone, long documents would fill the memory. */
export function openDocumentCache(): DocumentCache {
  const entries = new LRUCache<string, DocumentNode>({
    maxSize: maxBytes,
    sizeCalculation: (_document, text) =>
      2 * text.length + bytesPerCharacter * Math.min(text.length, countedCharacters),
  });
  return {
    get: (text) => entries.get(text),
    set(text, document) {
      if (text.length <= maxCharacters) entries.set(text, document);
    },
  };
}

/** A document that is none is refused by its beginning, so there is nothing to gain by caching it. */
export const noErrorCache = { get: (): undefined => undefined, set: (): void => undefined };
