/** Names the right that a user of the engine lacks, without the table, which may be one that the caller may not know. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { EngineError } from './engine-error.ts';

const DENIED = /necessary to have the grant (.+?) ON ((?:`[^`]*`|[^\s,`])+?)[.:]*(?:\s|$)/;

interface Denied {
  /** As in GRANT: `DROP TABLE`, `TABLE ENGINE ON MergeTree`. */
  readonly right: string;
  /** What it is needed on: `shop.orders`, `*.*`. */
  readonly on: string;
}

/** Null when the engine does not say which right. */
export function deniedRight({ message }: Pick<EngineError, 'message'>): Denied | null {
  const [, given, on] = DENIED.exec(message) ?? [];
  if (given === undefined || on === undefined) return null;
  const right = given.replace(/\([^)]*\)/g, '');
  return {
    right: right === 'TABLE ENGINE' ? `${right} ON ${on}` : right,
    on: on.replaceAll('`', ''),
  };
}

/** Null unless the user lacks only the right on a dictionary that its queries may name. */
export function deniedDictionary(
  error: Pick<EngineError, 'message'>,
  dictionaries: readonly string[] = [],
): string | null {
  const { right, on = '' } = deniedRight(error) ?? {};
  if (right !== 'dictGet' || !dictionaries.includes(on)) return null;
  return `The user that runs queries lacks the right dictGet on the dictionary ${on}. An operator should run querydock project check.`;
}

/** For statements of the service itself. */
export function lacksRight(error: EngineError): ServiceError {
  const right = deniedRight(error)?.right;
  const named = right === undefined ? 'a right' : `the right ${right}`;
  return new ServiceError(
    'query_failed',
    `The service lacks ${named} in the engine. An operator has to grant it: querydock project sql prints the rights of the users of a project, and the documentation those of the service's own user.`,
    { cause: error, internal: error.message.slice(0, 2000) },
  );
}
