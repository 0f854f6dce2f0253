import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Suite } from '../suite.ts';
import { fill } from './data.ts';
import { tables } from './tables.ts';
import { values } from './values.ts';

/** The queries are those of clause 2.4, one file each. */
export const tpch: Suite = {
  name: 'tpch',
  title: 'TPC-H',
  scale: 0.1,
  smallScale: 0.002,
  tables,
  fill,
  queries: Object.entries(values).map(([name, sets]) => ({
    name,
    sql: readFileSync(path.join(import.meta.dirname, `${name}.sql`), 'utf8').trimEnd(),
    values: sets,
  })),
};
