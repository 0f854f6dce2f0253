/** Settings of concurrency and queues. */
import { setting, wholeNumber } from './setting.ts';

export const limitSettings = {
  engineCores: setting<number>(
    'ENGINE_CORES',
    'processors',
    0,
    wholeNumber(0, 1024),
    'Processors of the engine; 0 takes those of this machine. Queries that run at once share them.',
  ),
  maxEngineQueries: setting<number>(
    'MAX_ENGINE_QUERIES',
    'queries',
    0,
    wholeNumber(0, 1000),
    'Queries of this process at the engine at once; 0 takes two for each processor of the engine and at least 4. Reads of stored tables have as many slots again.',
  ),
  maxQueuedQueries: setting<number>(
    'MAX_QUEUED_QUERIES',
    'runs per project',
    32,
    wholeNumber(0, 10_000),
    'Runs of a project that may wait for a slot; more get too_many_concurrent_queries.',
  ),
  maxQueuedInAll: setting<number>(
    'MAX_QUEUED_IN_ALL',
    'runs',
    256,
    wholeNumber(0, 100_000),
    'Runs of all projects that may wait in this process; more get query_capacity.',
  ),
  queueSeconds: setting<number>(
    'QUEUE_SECONDS',
    'seconds',
    10,
    wholeNumber(1, 600),
    'A run that has waited this long for a slot gets too_many_concurrent_queries or query_capacity.',
  ),
  maxLoadBytes: setting<number>(
    'MAX_LOAD_BYTES',
    'bytes',
    1_073_741_824,
    wholeNumber(1024, 1_099_511_627_776),
    'A larger body of PUT /tables/:table/rows gets body_too_large, as sent or without its compression. It waits on disk, in tmp of DATA_DIR.',
  ),
  maxLoads: setting<number>(
    'MAX_LOADS',
    'loads per process',
    2,
    wholeNumber(1, 100),
    'Uploads of rows at once; more get query_capacity.',
  ),
} as const;
