import { clickbench } from './clickbench/clickbench.ts';
import { ssb } from './ssb/ssb.ts';
import type { Suite } from './suite.ts';
import { tpch } from './tpch/tpch.ts';
import { tsbs } from './tsbs/tsbs.ts';

export const suites: readonly Suite[] = [tpch, ssb, clickbench, tsbs];
