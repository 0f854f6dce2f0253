import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors/service-error.ts';
import { currentFacts } from '../http/request-facts.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { defineMemo } from '../lib/memo.ts';
import { hashKey } from '../model/api-key-hash.ts';
import type { KeyRecord } from '../store/key-store.ts';
import type { AccessDeps } from './deps.ts';
import type { Principal } from './principal.ts';

const BEARER = /^Bearer +([A-Za-z0-9_-]{8,256})$/i;

/** The network origin of a request. */
export interface Origin {
  readonly via?: Principal['via'];
  /** Null or absent when the request did not come through a socket. */
  readonly address?: string | null;
}

/**
 * The principal of the key in the `Authorization` header. Throws `not_authenticated` when there is none,
 * `authentication_failed`, without the reason, when no valid key matches, and `throttled` when the same address has
 * sent many invalid keys; a valid key is still accepted from that address. A revoked key is refused as soon as the
 * change feed reports it, at the latest when its cached lookup expires.
 */
export function authenticate(
  deps: AccessDeps,
  authorization: string | null,
  from: Origin = {},
): MaybePromise<Principal> {
  const cached = authorization === null || !hashMemo.isOn ? undefined : hashes.get(authorization);
  const hash = cached ?? hashOf(deps, authorization, from);
  const now = deps.clock.now();
  const found = deps.lookups.keys.get(
    hash,
    () => deps.keys.findKeyByHash(Buffer.from(hash, 'base64')),
    now,
  );
  return andThen(found, (record) => {
    const principal = toPrincipal(deps, record, {
      from,
      now: found instanceof Promise ? deps.clock.now() : now,
    });
    if (authorization !== null && cached === undefined) hashes.set(authorization, hash);
    return principal;
  });
}

/**
 * Hashes of headers whose keys were accepted. A hash depends only on its header, so an entry does not say whether the
 * key is still valid; the lookup does.
 */
const hashMemo = defineMemo('key hash');
const hashes = new LRUCache<string, string>({ max: 10_000 });

function hashOf(deps: AccessDeps, authorization: string | null, from: Origin): string {
  if (authorization === null || authorization.trim() === '') {
    throw new ServiceError(
      'not_authenticated',
      'Authentication credentials were not provided. Send the header Authorization: Bearer <API key>.',
    );
  }
  const key = BEARER.exec(authorization.trim())?.[1];
  if (key === undefined) throw refused(deps, from);
  return Buffer.from(hashKey(key)).toString('base64');
}

function toPrincipal(
  deps: AccessDeps,
  record: KeyRecord | null,
  { from, now }: { readonly from: Origin; readonly now: Date },
): Principal {
  if (record !== null) noteKey(record);
  if (record === null || record.revokedAt !== null) throw refused(deps, from);
  if (record.expiresAt !== null && record.expiresAt <= now) throw refused(deps, from);
  deps.recorder.recordKeyUse(record.id, now);
  const { id: keyId, userId, scopes, projectIds, limits, expiresAt } = record;
  return { keyId, userId, scopes, projectIds, limits, expiresAt, via: from.via };
}

/** Logs the prefix of a refused key if the key is known. */
function noteKey({ prefix, projectIds }: KeyRecord): void {
  const facts = currentFacts();
  if (facts === null) return;
  facts.keyPrefix = prefix;
  facts.projectIds = projectIds;
}

/** Throws `throttled` instead when too many invalid keys came from the address. */
function refused(deps: AccessDeps, { address }: Origin): ServiceError {
  deps.rates.countRefusedKey(address ?? null);
  return new ServiceError(
    'authentication_failed',
    'The API key in the Authorization header is not valid: it is wrong, expired or revoked. Send Bearer <API key>.',
  );
}
