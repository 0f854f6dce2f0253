import type { Config } from '../config/config.ts';
import type { HttpRequest } from '../http/message.ts';
import type { Log } from '../lib/log.ts';
import type { InterfaceName } from './request-counts.ts';

export interface AccessLogEntry {
  readonly request: Pick<HttpRequest, 'method' | 'path'>;
  readonly via: InterfaceName;
  readonly operation: string;
  readonly status: number;
  readonly seconds: number;
}

/** Logs a completed request if it is due for a line. */
export type AccessLog = (entry: AccessLogEntry) => void;

/**
 * A line for each failure and each slow response, and for one in `accessLogEvery` of the others of each operation, the
 * first of them: a line costs half as much as a cached run, and metrics count all of them. At level debug every request
 * has its line.
 */
export function openAccessLog(
  log: Log,
  config: Pick<Config, 'accessLogEvery' | 'slowRequestMs'>,
): AccessLog {
  const counts = new Map<string, number>();

  function isLogged({ operation, status, seconds }: AccessLogEntry): boolean {
    if (status >= 400 || seconds * 1000 >= config.slowRequestMs) return true;
    const count = counts.get(operation) ?? 0;
    counts.set(operation, (count + 1) % config.accessLogEvery);
    return count === 0;
  }

  return (entry) => {
    const isPage = entry.via === 'page' && entry.status < 500;
    if (!log.isLevelEnabled('debug') && (isPage || !isLogged(entry))) return;
    const { request, operation, status, seconds } = entry;
    const level = status >= 500 ? 'warn' : isPage ? 'debug' : 'info';
    const ms = Math.round(seconds * 1e6) / 1000;
    const { method, path } = request;
    log[level]({ method, path: path.slice(0, 300), status, operation, ms }, 'request');
  };
}
