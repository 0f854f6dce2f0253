/** Settings of the ClickHouse that the service starts itself. */
import { setting, wholeNumber } from './setting.ts';

export const localEngineSettings = {
  localNodes: setting<number>(
    'LOCAL_NODES',
    'nodes',
    0,
    wholeNumber(0, 8),
    'Number of local ClickHouse processes, which form a cluster. 0 uses as many as DATA_DIR has, one in a new folder.',
  ),
  engineMemoryBytes: setting<number>(
    'ENGINE_MEMORY_BYTES',
    'bytes',
    4_294_967_296,
    wholeNumber(536_870_912, 4_398_046_511_104),
    'Memory that the local ClickHouse may use in total, over all of its nodes.',
  ),
} as const;
