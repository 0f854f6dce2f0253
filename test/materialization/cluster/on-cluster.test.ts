import { describe } from 'vitest';
import { clusterContract } from './support/cluster-contract.ts';
import { balanced } from './support/on-cluster-proxy.ts';

describe('two nodes behind a balancer, whose engine passes statements on', () => {
  clusterContract(balanced);
});
