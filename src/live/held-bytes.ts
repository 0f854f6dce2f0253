/**
 * The memory that live results use in this process: contents, their representations, and bytes that slow readers have
 * not read yet.
 */
import type { Config } from '../config/config.ts';
import { ServiceError } from '../errors/service-error.ts';
import { tooManyStreams } from './stream-limits.ts';

export interface HeldBytes {
  /** Opens an empty account for one of a project's results. */
  open(projectId: number): Holding;
  /** Counts bytes that cannot be refused, such as those pending for a slow reader; negative to release them. */
  count(bytes: number): void;
  isFull(): boolean;
  size(): number;
}

export interface Holding {
  /**
   * Replaces the account's bytes. Throws `too_many_streams`, or `query_too_large` for a size that exceeds the limit by
   * itself, and then keeps the previous bytes.
   */
  hold(bytes: number): void;
}

export function openHeldBytes(
  config: Pick<Config, 'maxLiveBytes' | 'maxLiveBytesPerProject'>,
): HeldBytes {
  const { maxLiveBytes } = config;
  const maxLiveBytesPerProject = Math.min(maxLiveBytes, config.maxLiveBytesPerProject);
  const projects = new Map<number, number>();
  let all = 0;

  function add(projectId: number, by: number): void {
    const ofProject = (projects.get(projectId) ?? 0) + by;
    if (by > 0 && ofProject > maxLiveBytesPerProject)
      throw full('of this project', maxLiveBytesPerProject);
    if (by > 0 && all + by > maxLiveBytes) throw full('of this process', maxLiveBytes);
    all += by;
    if (ofProject === 0) projects.delete(projectId);
    else projects.set(projectId, ofProject);
  }

  return {
    open(projectId) {
      let held = 0;
      return {
        hold(bytes) {
          if (bytes === held) return;
          if (bytes > maxLiveBytesPerProject) throw tooLarge(maxLiveBytesPerProject);
          add(projectId, bytes - held);
          held = bytes;
        },
      };
    },
    count(bytes) {
      all += bytes;
    },
    isFull: () => all > maxLiveBytes,
    size: () => all,
  };
}

function full(whose: string, limit: number): ServiceError {
  return tooManyStreams(
    `The results followed by streams ${whose} already use ${limit} bytes of memory.`,
  );
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError(
    'query_too_large',
    `The result is too large for an event stream: it may use at most ${limit} bytes of memory. Request fewer rows or columns.`,
  );
}
