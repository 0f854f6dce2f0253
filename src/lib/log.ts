import { type DestinationStream, type Logger, pino } from 'pino';
import { hideKeys } from './redact-keys.ts';
import { currentRequestScope } from './request-scope.ts';

export type Log = Logger;

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Structured lines, each naming the request it belongs to. They go to standard error unless told
 * otherwise, so that standard output stays free for what a command prints. Whatever a line holds, no
 * API key is in it.
 */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const out = destination ?? pino.destination({ dest: 2, sync: true });
  return pino(
    { level, base: null, mixin: () => currentRequestScope() },
    { write: (line) => out.write(hideKeys(line)) },
  );
}
