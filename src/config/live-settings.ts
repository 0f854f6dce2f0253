/** Settings of live results. */
import { setting, wholeNumber } from './setting.ts';

export const liveSettings = {
  maxStreams: setting<number>(
    'MAX_STREAMS',
    'streams per process',
    10_000,
    wholeNumber(1, 1_000_000),
    'Event streams and subscriptions open at once; further ones fail with too_many_streams.',
  ),
  maxStreamsPerProject: setting<number>(
    'MAX_STREAMS_PER_PROJECT',
    'streams per project and process',
    5000,
    wholeNumber(1, 1_000_000),
    'The same for all keys of a project together.',
  ),
  maxStreamsPerKey: setting<number>(
    'MAX_STREAMS_PER_KEY',
    'streams per key and process',
    2000,
    wholeNumber(1, 1_000_000),
    'The same for one key.',
  ),
  maxLiveBytes: setting<number>(
    'MAX_LIVE_BYTES',
    'bytes per process',
    536_870_912,
    wholeNumber(1_048_576, 1_099_511_627_776),
    'Memory that live results may use; a result that would exceed it fails with too_many_streams.',
  ),
  maxLiveBytesPerProject: setting<number>(
    'MAX_LIVE_BYTES_PER_PROJECT',
    'bytes per project and process',
    268_435_456,
    wholeNumber(1_048_576, 1_099_511_627_776),
    'The same for the results of one project.',
  ),
  minLiveIntervalSeconds: setting<number>(
    'MIN_LIVE_INTERVAL_SECONDS',
    'seconds',
    5,
    wholeNumber(1, 86_400),
    'Minimum interval at which a live result is recomputed without a known change, whatever the subscriber or the cache age specifies.',
  ),
  heartbeatSeconds: setting<number>(
    'LIVE_HEARTBEAT_SECONDS',
    'seconds',
    15,
    wholeNumber(1, 600),
    'How often an open stream is written to, so that no proxy considers it dead.',
  ),
  reconnectSpreadSeconds: setting<number>(
    'LIVE_RECONNECT_SPREAD_SECONDS',
    'seconds',
    5,
    wholeNumber(0, 600),
    'When a process stops, its subscribers are told to reconnect at a random time within this many seconds.',
  ),
} as const;
