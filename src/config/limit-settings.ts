/** Settings of concurrency and queues. */
import { setting, wholeNumber } from './setting.ts';

export const limitSettings = {
  engineCores: setting<number>(
    'ENGINE_CORES',
    'processors',
    0,
    wholeNumber(0, 1024),
    'Number of processors of the engine; 0 uses that of this machine. Concurrent queries share them.',
  ),
  maxEngineQueries: setting<number>(
    'MAX_ENGINE_QUERIES',
    'queries',
    0,
    wholeNumber(0, 1000),
    'Concurrent queries of this process; 0 means two per engine processor, at least 4. Reads of stored tables have as many slots again.',
  ),
  maxQueuedQueries: setting<number>(
    'MAX_QUEUED_QUERIES',
    'runs per project',
    32,
    wholeNumber(0, 10_000),
    'Runs of a project that may wait for a slot; further ones fail with too_many_concurrent_queries.',
  ),
  maxQueuedInAll: setting<number>(
    'MAX_QUEUED_IN_ALL',
    'runs',
    256,
    wholeNumber(0, 100_000),
    'Runs of all projects that may wait in this process; further ones fail with query_capacity.',
  ),
  queueSeconds: setting<number>(
    'QUEUE_SECONDS',
    'seconds',
    10,
    wholeNumber(1, 600),
    'A run that has waited this long for a slot fails with too_many_concurrent_queries or query_capacity.',
  ),
  maxLoadBytes: setting<number>(
    'MAX_LOAD_BYTES',
    'bytes',
    1_073_741_824,
    wholeNumber(1024, 1_099_511_627_776),
    'A larger body of PUT /tables/:table/rows, sent or decompressed, gets body_too_large. It is buffered in tmp of DATA_DIR.',
  ),
  maxLoads: setting<number>(
    'MAX_LOADS',
    'loads per process',
    2,
    wholeNumber(1, 100),
    'Concurrent uploads of rows; further ones fail with query_capacity.',
  ),
} as const;
