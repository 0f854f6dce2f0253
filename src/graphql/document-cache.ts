import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';

/** Parsed documents by text, so that a repeated document is neither parsed nor validated again. */
export interface DocumentCache {
  get(text: string): DocumentNode | undefined;
  set(text: string, document: DocumentNode): void;
}

/** Limit for all documents, using the estimate below. */
const maxBytes = 67_108_864;
/** Longer documents are not cached, because programs do not repeat them. */
const maxCharacters = 65_536;
/** Memory of a parsed document per character of its text, at the maximum number of tokens. */
const bytesPerCharacter = 150;
const countedCharacters = 16_384;

/** Bounded in bytes, because with a bound on their number long documents could fill the memory. */
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

/**
 * Neither parses nor validates a document again that was valid. Nothing of an invalid one is stored: its errors take far
 * more memory than its text, and it fails early anyway.
 */
export function cacheDocuments(): Plugin {
  const documents = openDocumentCache();
  const texts = new WeakMap<DocumentNode, string>();
  const valid = new WeakSet<DocumentNode>();
  return {
    onParse({ params, setParsedDocument }) {
      const text = params.source.toString();
      const cached = documents.get(text);
      if (cached !== undefined) {
        setParsedDocument(cached);
        return;
      }
      return ({ result }) => {
        if (!(result instanceof Error)) texts.set(result, text);
      };
    },
    onValidate({ params: { documentAST: document }, setResult }) {
      if (valid.has(document)) {
        setResult([]);
        return;
      }
      return ({ valid: isValid }) => {
        const text = texts.get(document);
        if (!isValid || text === undefined) return;
        valid.add(document);
        documents.set(text, document);
      };
    },
  };
}
