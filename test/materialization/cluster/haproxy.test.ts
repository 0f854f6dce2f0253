import { describe } from 'vitest';
import { haproxy } from '../../support/haproxy.ts';
import { isThere } from '../../support/needs.ts';
import { clusterContract } from './support/cluster-contract.ts';
import { behindHaproxy } from './support/on-cluster-proxy.ts';

describe.runIf(isThere('haproxy', haproxy !== null))(
  'two nodes behind haproxy, whose engine passes statements on',
  () => {
    clusterContract(behindHaproxy);
  },
);
