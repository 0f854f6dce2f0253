/** One temporary engine for the loads that follow each other: starting one takes half a second of processor time. */
import type { Column } from '../../query-engine.ts';
import {
  type FileToInfer,
  type Inference,
  type InferSettings,
  openInference,
  requireReadable,
} from './infer-columns.ts';

export interface SharedInference {
  /** As of `Inference`. The engine is started for the first file. */
  columns(file: FileToInfer): Promise<readonly Column[]>;
  /** Resolves when the engine has stopped. Idempotent. */
  close(): Promise<void>;
}

/** How long the engine, with about 300 MB of memory, stays without a file. */
const IDLE_MS = 30_000;

export function openSharedInference(
  settings: InferSettings,
  { idleMs = IDLE_MS }: { readonly idleMs?: number } = {},
): SharedInference {
  let opened: Promise<Inference> | null = null;
  let files = 0;
  let idle: NodeJS.Timeout | undefined;
  let closing: Promise<void> = Promise.resolve();
  const close = () => {
    clearTimeout(idle);
    const open = opened;
    opened = null;
    closing = closing.then(async () => {
      const inference = await open?.catch(() => null);
      await inference?.close();
    });
    return closing;
  };
  const open = () => {
    opened ??= openInference(settings).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  return {
    async columns(file) {
      await requireReadable(file.filePath);
      clearTimeout(idle);
      files += 1;
      try {
        return await (await open()).columns(file);
      } finally {
        files -= 1;
        if (files === 0) {
          clearTimeout(idle);
          idle = setTimeout(() => void close(), idleMs).unref();
        }
      }
    },
    close,
  };
}
