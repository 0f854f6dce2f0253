/** The bytes that followed results hold in this process: contents, their representations, and what slow readers have yet to take. */
import type { Config } from '../config/config.ts';
import { ServiceError } from '../errors/service-error.ts';
import { tooManyStreams } from './stream-limits.ts';

export interface HeldBytes {
  /** Of a project's results; holds nothing yet. */
  open(projectId: number): Holding;
  /** Counts bytes that cannot be refused, such as those of a reader that is behind; negative: they are gone. */
  count(bytes: number): void;
  isFull(): boolean;
  size(): number;
}

export interface Holding {
  /**
   * Holds so many bytes in place of those before. Throws `too_many_streams`, or `query_too_large` for what is beyond the
   * limit by itself, and then still holds those.
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
  return tooManyStreams(`The results that streams ${whose} follow already hold ${limit} bytes.`);
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError(
    'query_too_large',
    `The result is too large to be followed: it may hold ${limit} bytes of memory. Ask for fewer rows or columns.`,
  );
}
