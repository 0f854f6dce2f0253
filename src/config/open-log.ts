import { type DestinationStream, pino } from 'pino';
import { redactKeys } from '../errors/redact-keys.ts';
import type { Log, LogLevel } from '../lib/log.ts';
import { currentRequestScope } from '../lib/request-scope.ts';

/**
 * Structured lines, each naming its request. They go to standard error by default, so that standard output stays free
 * for a command's output. API keys are removed from every line.
 */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const out = destination ?? openStandardError();
  return pino(
    { level, base: null, mixin: requestOf },
    { write: (line) => out.write(redactKeys(line)) },
  );
}

/** Lines that cannot be written, as on a full disk, are lost: the service goes on, and so do later lines. */
function openStandardError(): DestinationStream {
  let current: DestinationStream | null = null;
  const open = () => {
    const stream = pino.destination({ dest: 2, sync: true });
    // The stream would keep a line that failed, and every later one behind it.
    stream.on('error', () => {
      current = null;
    });
    return stream;
  };
  return {
    write(line) {
      current ??= open();
      current.write(line);
    },
  };
}

function requestOf(): object {
  const scope = currentRequestScope();
  return scope === null ? {} : { requestId: scope.requestId };
}
