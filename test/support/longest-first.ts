import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long, or a part of their path; the rest follows in the order of vitest. */
const longest = [
  'test/faults/',
  'test/materialization/planner/aggregates.test.ts',
  'test/materialization/planner/exactness.test.ts',
  'test/materialization/suites/',
  'test/materialization/kill-loop.test.ts',
  'test/cli/',
  'test/runs/overrun.test.ts',
  'test/engine/',
  'test/hostile/',
  'test/materialization/',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = longest.findIndex((name) => moduleId.includes(name));
  return rank === -1 ? longest.length : rank;
};

/** Nobody waits at the end for one long file while the other worker is idle, on the first run either. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
