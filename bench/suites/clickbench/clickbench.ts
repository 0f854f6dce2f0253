import type { Suite } from '../suite.ts';
import { constants } from './constants.ts';
import { fill, table } from './hits.ts';
import { variables } from './variables.ts';

export const clickbench: Suite = {
  name: 'clickbench',
  title: 'ClickBench',
  scale: 0.005,
  smallScale: 0.0001,
  tables: [table],
  fill,
  queries: variables.map((query, at) => ({
    ...query,
    name: `q${String(at + 1).padStart(2, '0')}`,
    constants: constants[at] ?? '',
  })),
};
