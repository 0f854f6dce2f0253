/**
 * Documents that callers identify by the SHA-256 of their text, in the format of Apollo's and other clients:
 * `extensions: {persistedQuery: {version: 1, sha256Hash}}`.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Config, ConfigError } from '../config/config.ts';

export interface PersistedDocuments {
  /**
   * The request with its document. Throws a GraphQLError when the hash is unknown or does not match the sent document.
   */
  complete(params: GraphQLParams): GraphQLParams;
  /** Stores the document of a request with both text and hash, after it ran without an error. */
  store(params: GraphQLParams): void;
}

const maxStored = 1000;
/** Limited, because any caller can have a text stored, and texts may be long. */
const maxStoredBytes = 16_777_216;
const HASH = /^[0-9a-f]{64}$/;

/** Throws ConfigError when the configured file cannot be read. */
export function openPersistedDocuments(
  config: Pick<Config, 'persistedFile' | 'persistedOnly'>,
): PersistedDocuments {
  const trusted = readTrusted(config.persistedFile);
  const stored = new LRUCache<string, string>({
    max: maxStored,
    maxSize: maxStoredBytes,
    sizeCalculation: (text) => 2 * text.length + 200,
  });
  return {
    complete(params) {
      const hash = hashOf(params);
      const query: unknown = params.query;
      // `readParams` refuses anything but a string.
      if (query !== undefined && query !== null && typeof query !== 'string') return params;
      if (typeof query === 'string' && query !== '') {
        const own = hash === null && !config.persistedOnly ? null : sha256(query);
        if (hash !== null && own !== hash) throw refused('PERSISTED_QUERY_HASH_MISMATCH', mismatch);
        if (config.persistedOnly && !trusted.has(own ?? ''))
          throw refused('PERSISTED_QUERY_ONLY', only);
        return params;
      }
      if (hash === null) return params;
      const found = trusted.get(hash) ?? stored.get(hash);
      if (found === undefined) throw refused('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
      return { ...params, query: found };
    },
    store(params) {
      const hash = hashOf(params);
      const { query } = params;
      // A GET request with only a hash has an empty text.
      if (hash === null || query === undefined || query === '' || config.persistedOnly) return;
      if (!trusted.has(hash)) stored.set(hash, query);
    },
  };
}

const mismatch = 'The SHA-256 of the document differs from that in extensions.persistedQuery.';
const only = 'This service accepts only documents that its operator has listed.';

function refused(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

/** Null when the request has no document hash. */
function hashOf({ extensions }: GraphQLParams): string | null {
  const named: unknown = extensions?.persistedQuery;
  if (named === null || typeof named !== 'object') return null;
  const { version, sha256Hash } = named as {
    readonly version?: unknown;
    readonly sha256Hash?: unknown;
  };
  if (version === 1 && typeof sha256Hash === 'string' && HASH.test(sha256Hash)) return sha256Hash;
  throw refused(
    'BAD_REQUEST',
    'extensions.persistedQuery must be {version: 1, sha256Hash}, with a SHA-256 in hexadecimal.',
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A JSON object of hash → document, as code generators write it. Hashes are recomputed, not trusted. */
function readTrusted(file: string): ReadonlyMap<string, string> {
  if (file === '') return new Map();
  const texts = z.record(z.string(), z.string()).safeParse(readJson(file));
  if (texts.success) return new Map(Object.values(texts.data).map((text) => [sha256(text), text]));
  throw new ConfigError(
    `GRAPHQL_PERSISTED_FILE=${file} has no JSON object of hash → document, with texts only.`,
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { message } = error as Error;
    const shown = error instanceof SyntaxError ? 'it is not JSON' : message;
    throw new ConfigError(`GRAPHQL_PERSISTED_FILE=${file} cannot be read: ${shown}.`);
  }
}
