import { ServiceError } from '../errors/service-error.ts';

/** Slots for concurrent loads in this process. */
export interface LoadSlots {
  /** Returns a function that releases the slot. Throws `query_capacity` when none is left. */
  enter(): () => void;
}

const retryAfterSeconds = 5;

export function openLoadSlots(max: number): LoadSlots {
  let taken = 0;
  return {
    enter() {
      if (taken >= max) throw tooMany(max);
      taken += 1;
      return () => {
        taken -= 1;
      };
    },
  };
}

function tooMany(max: number): ServiceError {
  const loads = max === 1 ? '1 load' : `${max} loads`;
  return new ServiceError(
    'query_capacity',
    `This process already runs ${loads} of rows. Try again when one has ended.`,
    { retryAfterSeconds },
  );
}
