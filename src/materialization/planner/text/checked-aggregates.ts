/** Aggregates that have one result for groups of a certain kind, which each sync checks. Pure. */

/** As of an aggregate's name. */
interface Name {
  readonly base: string;
  readonly combinators: readonly string[];
}

/**
 * Aggregates that keep up to 8,192 values of a group and, of more, a random choice that depends on the order of the rows.
 * Source: ClickHouse's ReservoirSampler.
 */
const SAMPLING = /^quantiles?$/;
export const sampleSize = 8192;
/** With which each row adds one value at most. */
const samplingCombinators = new Set(['If', 'OrNull', 'OrDefault']);

/** Whether the aggregate has one result for the rows of a group that has no more than `sampleSize`. */
export function isExactForSmallGroups({ base, combinators }: Name): boolean {
  return SAMPLING.test(base) && combinators.every((one) => samplingCombinators.has(one));
}

/** Aggregates that return any value of a group, but for NULL. */
const CHOOSING = /^(?:any(?:Last|Heavy)?|(?:first|last)_value)$/;

/** Whether the aggregate has one result for the rows of a group in which its argument has one value. */
export function isExactForEqualValues({ base, combinators }: Name): boolean {
  return CHOOSING.test(base) && combinators.every((one) => samplingCombinators.has(one));
}

/** Aggregates that sort events by time alone, so that those of one time remain in the order of the rows. */
const SEQUENCE = /^sequence(?:Match|Count|MatchEvents)$/;

export function isSequence(base: string): boolean {
  return SEQUENCE.test(base);
}

export const withoutTies = 'a time that no two events of a group share, or windowFunnel';

/** Whether it has one result for the rows of a group whose events of one time fulfil the same conditions. */
export function isExactForDistinctTimes({ base, combinators }: Name): boolean {
  return isSequence(base) && combinators.every((one) => samplingCombinators.has(one));
}

/** Whether the aggregate has one result for groups that each sync checks. */
export function isExactForCheckedGroups(name: Name): boolean {
  return (
    isExactForSmallGroups(name) || isExactForEqualValues(name) || isExactForDistinctTimes(name)
  );
}
