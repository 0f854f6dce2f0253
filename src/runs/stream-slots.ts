import { ServiceError } from '../errors/service-error.ts';
import { addToCount } from '../lib/add-to-count.ts';

/**
 * The streams of a project in this process. A stream lasts as long as its caller reads, so it has a separate slot
 * instead of a run's.
 */
export interface StreamSlots {
  /** Returns a function that releases the slot. Throws `too_many_concurrent_queries` when the project has none left. */
  enter(stream: Stream): () => void;
  /** Ends a stream of this process; ignores unknown ids. */
  end(executionId: string): void;
  size(): number;
}

interface Stream {
  readonly projectId: number;
  readonly executionId: string;
  /** Maximum concurrent streams of the project. */
  readonly maxStreams: number;
  /** Ends the stream. */
  readonly end: () => void;
}

export function openStreamSlots(): StreamSlots {
  const taken = new Map<number, number>();
  const ends = new Map<string, () => void>();

  return {
    enter({ projectId, executionId, maxStreams, end }) {
      if ((taken.get(projectId) ?? 0) >= maxStreams) throw tooMany(maxStreams);
      addToCount(taken, projectId, 1);
      ends.set(executionId, end);
      return () => {
        if (ends.delete(executionId)) addToCount(taken, projectId, -1);
      };
    },
    end: (executionId) => ends.get(executionId)?.(),
    size: () => ends.size,
  };
}

function tooMany(max: number): ServiceError {
  return new ServiceError(
    'too_many_concurrent_queries',
    `This project is already receiving ${max} results in formats other than JSON. Try again when one has ended.`,
    { retryAfterSeconds: 1 },
  );
}
