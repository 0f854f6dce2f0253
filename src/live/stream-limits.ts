import type { Principal } from '../access/principal.ts';
import type { Config } from '../config/config.ts';
import { ServiceError } from '../errors/service-error.ts';
import { addToCount } from '../lib/add-to-count.ts';

/** The open streams of this process, by key and by project. */
export interface StreamLimits {
  /** Acquires a slot; the returned function releases it. Throws `too_many_streams`. */
  enter(principal: Principal, projectId: number): () => void;
  size(): number;
}

export function openStreamLimits(
  config: Pick<Config, 'maxStreams' | 'maxStreamsPerKey' | 'maxStreamsPerProject'>,
): StreamLimits {
  const keys = new Map<string, number>();
  const projects = new Map<number, number>();
  let all = 0;
  return {
    enter({ keyId }, projectId) {
      const { maxStreams, maxStreamsPerKey, maxStreamsPerProject } = config;
      if ((keys.get(keyId) ?? 0) >= maxStreamsPerKey)
        throw tooManyStreams(`This API key already has ${maxStreamsPerKey} open streams.`);
      if ((projects.get(projectId) ?? 0) >= maxStreamsPerProject)
        throw tooManyStreams(`This project already has ${maxStreamsPerProject} open streams.`);
      if (all >= maxStreams)
        throw tooManyStreams(`The service already has ${maxStreams} open streams.`);
      const count = (by: number): void => {
        all += by;
        addToCount(keys, keyId, by);
        addToCount(projects, projectId, by);
      };
      count(1);
      let isIn = true;
      return () => {
        if (isIn) count(-1);
        isIn = false;
      };
    },
    size: () => all,
  };
}

export function tooManyStreams(sentence: string): ServiceError {
  return new ServiceError('too_many_streams', `${sentence} Close one, or try again later.`, {
    retryAfterSeconds: 10,
  });
}
