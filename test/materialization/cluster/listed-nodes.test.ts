import { describe } from 'vitest';
import { clusterContract } from './support/cluster-contract.ts';
import { listed } from './support/clustered-app.ts';

describe('two nodes without a Keeper, whose addresses are listed', () => {
  clusterContract(listed);
});
