import type { Config } from '../config/config.ts';
import { errorStatus, isErrorCode } from '../errors/service-error.ts';
import type { HttpRequest } from '../http/message.ts';
import type { RequestFacts } from '../http/request-facts.ts';
import type { Log } from '../lib/log.ts';
import type { InterfaceName } from './request-counts.ts';

export interface AccessLogEntry {
  readonly request: Pick<HttpRequest, 'method' | 'path'>;
  readonly facts: RequestFacts;
  readonly via: InterfaceName;
  readonly operation: string;
  readonly status: number;
  readonly seconds: number;
  /** Code of the error that ended the request; those in a GraphQL response are in `facts`. */
  readonly code: string | undefined;
}

/** Logs a completed request if it is selected for a line. */
export type AccessLog = (entry: AccessLogEntry) => void;

/**
 * Logs each failure, each slow response and each request that its caller named, and one in `accessLogEvery` of the
 * others per operation, starting with the first: a line costs half as much as a cached run, and metrics count all of
 * them. With `logRuns` all, every run is logged, and at level debug every request.
 */
export function openAccessLog(
  log: Log,
  config: Pick<Config, 'accessLogEvery' | 'logRuns' | 'slowRequestMs'>,
): AccessLog {
  const counts = new Map<string, number>();

  function isLogged({ operation, seconds, facts, via }: AccessLogEntry): boolean {
    if (via === 'page') return false;
    if (facts.isNamed || seconds * 1000 >= config.slowRequestMs) return true;
    if (facts.isRun && config.logRuns === 'all') return true;
    const count = counts.get(operation) ?? 0;
    counts.set(operation, (count + 1) % config.accessLogEvery);
    return count === 0;
  }

  return (entry) => {
    const codes = codesOf(entry);
    const isFailure = entry.status >= 400 || codes.length > 0;
    if (!isFailure && !isLogged(entry) && !log.isLevelEnabled('debug')) return;
    const { request, operation, status, seconds, via } = entry;
    const isFault = status >= 500 || codes.some(isServiceFault);
    const level = isFault ? 'warn' : via === 'page' && !isFailure ? 'debug' : 'info';
    const ms = Math.round(seconds * 1e6) / 1000;
    const { method, path } = request;
    const line = { method, path: path.slice(0, 300), status, operation, ms };
    log[level]({ ...line, ...failureOf(codes), ...targetOf(entry.facts) }, 'request');
  };
}

function codesOf({ code, facts }: AccessLogEntry): readonly string[] {
  return code === undefined ? facts.codes : [code];
}

function isServiceFault(code: string): boolean {
  return isErrorCode(code) && errorStatus[code] >= 500;
}

/** Lists all codes if a GraphQL response has several. */
function failureOf([code, ...more]: readonly string[]): object {
  if (code === undefined) return {};
  return more.length === 0 ? { code } : { code, codes: [code, ...more] };
}

/** The caller and the request, as far as they are known. */
function targetOf({ keyPrefix, projectIds, project, endpoint, version }: RequestFacts): object {
  const [only] = projectIds;
  const id = project === '@current' && projectIds.length === 1 ? only : project;
  return {
    ...(keyPrefix === null ? {} : { key: keyPrefix }),
    ...(id === null ? {} : { project: /^\d{1,10}$/.test(String(id)) ? Number(id) : shortened(id) }),
    ...(endpoint === null ? {} : { endpoint: shortened(endpoint) }),
    ...(version === null ? {} : { version }),
  };
}

/** Names come from the path, so they can be any text. */
function shortened(text: unknown): string {
  return String(text).slice(0, 128);
}
