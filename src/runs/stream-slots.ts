import { ServiceError } from '../errors/service-error.ts';

/**
 * How many streams of a project are under way in this process. A stream lasts as long as its caller takes, so it
 * does not hold the slot of a run for that time; it has one here.
 */
export interface StreamSlots {
  /** Returns what leaves the slot. Throws `too_many_concurrent_queries` when the project has no other. */
  enter(stream: Stream): () => void;
  /** Ends a stream that is under way in this process; nothing for another id. */
  end(executionId: string): void;
  size(): number;
}

export interface Stream {
  readonly projectId: number;
  readonly executionId: string;
  /** That the project may have at once. */
  readonly maxStreams: number;
  /** Ends it. */
  readonly end: () => void;
}

export function openStreamSlots(): StreamSlots {
  const taken = new Map<number, number>();
  const ends = new Map<string, () => void>();

  function count(projectId: number, by: number): void {
    const left = (taken.get(projectId) ?? 0) + by;
    if (left === 0) taken.delete(projectId);
    else taken.set(projectId, left);
  }

  return {
    enter({ projectId, executionId, maxStreams, end }) {
      if ((taken.get(projectId) ?? 0) >= maxStreams) throw tooMany(maxStreams);
      count(projectId, 1);
      ends.set(executionId, end);
      return () => {
        if (ends.delete(executionId)) count(projectId, -1);
      };
    },
    end: (executionId) => ends.get(executionId)?.(),
    size: () => ends.size,
  };
}

function tooMany(max: number): ServiceError {
  return new ServiceError(
    'too_many_concurrent_queries',
    `This project already takes ${max} results in formats other than JSON at once. Try again when one has ended.`,
    { retryAfterSeconds: 1 },
  );
}
