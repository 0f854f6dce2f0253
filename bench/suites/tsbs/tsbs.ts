import type { Suite } from '../suite.ts';
import { fill } from './data.ts';
import { queries } from './queries.ts';
import { tables } from './tables.ts';

export const tsbs: Suite = {
  name: 'tsbs',
  title: 'Time Series Benchmark Suite, devops',
  scale: 0.005,
  smallScale: 0.0005,
  tables,
  fill,
  queries,
};
