import { measureAblation, measureUsageCost } from './ablation.ts';
import { measureCluster } from './cluster.ts';
import { measureCompressed } from './compressed.ts';
import type { Effort } from './effort.ts';
import { measureFairness } from './fairness.ts';
import type { Figure } from './figure.ts';
import { measureGraph } from './graph.ts';
import { measureGraphRows } from './graph-rows.ts';
import { measureGraphSchema } from './graph-schema.ts';
import { measureHot } from './hot.ts';
import { measureInProcess } from './in-process.ts';
import { measureLarge } from './large.ts';
import { measureList } from './list.ts';
import { measureLive } from './live.ts';
import { measureMany } from './many.ts';
import { measureManyProjects } from './many-projects.ts';
import { measureMaterialization, measureSyncs } from './materialization.ts';
import { measureOverload } from './overload.ts';
import { measurePeers } from './peers.ts';
import { measureProcesses } from './processes.ts';
import { measureRowForms } from './row-forms.ts';
import { measureStart } from './start.ts';
import { measureStoredRuns } from './stored-run.ts';
import { suites } from './suites/all.ts';
import { measureSuites, tenfold } from './suites/measure.ts';
import { measureSwaps } from './swaps.ts';
import { measureUncached } from './uncached.ts';

export interface Case {
  readonly title: string;
  /** @param parts of its `parts`; all when there are none. */
  readonly measure: (effort: Effort, parts: readonly string[]) => Promise<readonly Figure[]>;
  /** What can be measured alone, by names after that of the case. */
  readonly parts?: readonly string[];
}

/** In the order in which they are measured and shown. */
export const cases: Readonly<Record<string, Case>> = {
  start: { title: 'Start', measure: measureStart },
  hot: { title: 'Cached, 1.2 kB', measure: measureHot },
  large: { title: 'Cached, 1 and 10 MB', measure: measureLarge },
  rows: { title: 'Rows as objects beside arrays', measure: measureRowForms },
  compressed: { title: 'Cached, compressed', measure: measureCompressed },
  uncached: { title: 'Uncached', measure: measureUncached },
  list: { title: 'Lists', measure: measureList },
  many: { title: '10,000 endpoints, 10 versions each, 1,000 projects', measure: measureMany },
  'graph-schema': {
    title: 'Schema of a data graph beside a schema that is rebuilt',
    measure: measureGraphSchema,
  },
  processes: { title: 'Two processes', measure: measureProcesses },
  cluster: { title: 'Two nodes', measure: measureCluster },
  peers: { title: 'Other products', measure: measurePeers },
  materialization: { title: 'Materialization', measure: measureMaterialization },
  syncs: { title: 'Syncs', measure: measureSyncs },
  swaps: { title: 'Swaps of stored tables', measure: measureSwaps },
  fairness: { title: 'Fairness between projects', measure: measureFairness },
  overload: { title: 'Overload', measure: measureOverload },
};

/** Measured only when named, and not published. */
export const probes: Readonly<Record<string, Case>> = {
  suites: {
    title: 'Public benchmarks, materialized',
    measure: (effort, parts) => measureSuites(effort, parts),
    parts: [...suites.map(({ name }) => name), tenfold],
  },
  'stored-run': {
    title: 'What a run of a stored table takes',
    measure: measureStoredRuns,
  },
  graph: {
    title: 'Typed fields of the data graph, and the first use of documents',
    measure: measureGraph,
  },
  'graph-rows': {
    title: 'Rows as the objects of a selection, in memory',
    measure: measureGraphRows,
  },
  projects: { title: 'Start with 3,000 local projects', measure: measureManyProjects },
  live: { title: '10,000 subscribers of 100 results', measure: measureLive },
  'in-process': { title: 'Cached responses past the kernel', measure: measureInProcess },
  usage: { title: 'What counting a cached run costs', measure: measureUsageCost },
  ablation: { title: 'What each memo of a cached run saves', measure: measureAblation },
};
