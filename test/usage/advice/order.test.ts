/** The order of suggestions to materialize. */
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import type { AdviceStore, CostlyEndpoint } from '../../../src/store/advice-store.ts';
import { advise } from '../../../src/usage/advice/advise.ts';

const costly = (endpoint: string, engineSeconds: number): CostlyEndpoint => ({
  endpointId: endpoint,
  endpoint,
  version: 1,
  versionId: endpoint,
  executions: 20,
  engineSeconds,
});

const none = async () => [];
const adviceStore: AdviceStore = {
  findUnused: none,
  findOldVersionRuns: none,
  findSteadyResults: none,
  findUnusedVariables: none,
  findCostly: async () => [
    costly('twice_as_fast', 100),
    costly('not_measured', 90),
    costly('ten_times', 80),
    costly('no_gain', 70),
    costly('a_hundred_times', 60),
  ],
};

it('is by the time that each would save, and the ones that are not measured yet come last', async () => {
  const gains = new Map<string, number | null>([
    ['twice_as_fast', 2],
    ['ten_times', 10],
    ['no_gain', null],
    ['a_hundred_times', 100],
  ]);
  const gainOf = ({ endpoint }: CostlyEndpoint) => {
    const expectedGain = gains.get(endpoint);
    return expectedGain === undefined ? null : { expectedGain };
  };
  const question = { projectId: 1, now: new Date(0), gainOf };
  const found = await advise({ adviceStore, config: readConfig({}) }, question);
  expect(found.map(({ endpoint }) => endpoint)).toEqual([
    'ten_times',
    'a_hundred_times',
    'twice_as_fast',
    'not_measured',
  ]);
});
