/** What one connection and all of them together may take of the service. */
import { setting, wholeNumber } from './setting.ts';

export const connectionSettings = {
  maxHeaderBytes: setting<number>(
    'MAX_HEADER_BYTES',
    'bytes',
    65_536,
    wholeNumber(8192, 1_048_576),
    'A request line and headers longer than this together get headers_too_large.',
  ),
  headersTimeoutSeconds: setting<number>(
    'HEADERS_TIMEOUT_SECONDS',
    'seconds',
    20,
    wholeNumber(1, 600),
    'A request whose headers have not arrived by then gets request_timeout.',
  ),
  requestTimeoutSeconds: setting<number>(
    'REQUEST_TIMEOUT_SECONDS',
    'seconds',
    60,
    wholeNumber(1, 3600),
    'A request that has not arrived whole by then gets request_timeout.',
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
    'How long an idle connection stays open; longer than a proxy in front keeps its own.',
  ),
  maxConnections: setting<number>(
    'MAX_CONNECTIONS',
    'connections',
    16_384,
    wholeNumber(1, 1_000_000),
    'More at once are closed as they come.',
  ),
} as const;
