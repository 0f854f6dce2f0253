import type { Suite } from '../suite.ts';
import { fill } from './data.ts';
import { queries } from './queries.ts';
import { tables } from './tables.ts';

export const ssb: Suite = {
  name: 'ssb',
  title: 'Star Schema Benchmark',
  scale: 0.1,
  smallScale: 0.01,
  tables,
  fill,
  queries,
};
