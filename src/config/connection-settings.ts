/** Limits of one connection and of all connections together. */
import { setting, wholeNumber } from './setting.ts';

export const connectionSettings = {
  maxHeaderBytes: setting<number>(
    'MAX_HEADER_BYTES',
    'bytes',
    65_536,
    wholeNumber(8192, 1_048_576),
    'A longer request line with headers is rejected with headers_too_large.',
  ),
  headersTimeoutSeconds: setting<number>(
    'HEADERS_TIMEOUT_SECONDS',
    'seconds',
    20,
    wholeNumber(1, 600),
    'A request whose headers have not arrived by then fails with request_timeout.',
  ),
  requestTimeoutSeconds: setting<number>(
    'REQUEST_TIMEOUT_SECONDS',
    'seconds',
    60,
    wholeNumber(1, 3600),
    'A request that has not arrived completely by then fails with request_timeout.',
  ),
  sendTimeoutSeconds: setting<number>(
    'SEND_TIMEOUT_SECONDS',
    'seconds',
    60,
    wholeNumber(1, 3600),
    'A caller that reads nothing of its response for this long is disconnected.',
  ),
  keepAliveSeconds: setting<number>(
    'KEEP_ALIVE_SECONDS',
    'seconds',
    65,
    wholeNumber(1, 3600),
    'How long an idle connection stays open. It should be longer than the keep-alive of a proxy in front.',
  ),
  maxConnections: setting<number>(
    'MAX_CONNECTIONS',
    'connections',
    16_384,
    wholeNumber(1, 1_000_000),
    'Further concurrent connections are closed on arrival.',
  ),
} as const;
