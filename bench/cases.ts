import { measureAblation } from './ablation.ts';
import { measureCompressed } from './compressed.ts';
import type { Effort } from './effort.ts';
import { measureFairness } from './fairness.ts';
import type { Figure } from './figure.ts';
import { measureHot } from './hot.ts';
import { measureLarge } from './large.ts';
import { measureList } from './list.ts';
import { measureMany } from './many.ts';
import { measureMaterialization, measureSyncs } from './materialization.ts';
import { measureOverload } from './overload.ts';
import { measurePeers } from './peers.ts';
import { measureProcesses } from './processes.ts';
import { measureRowForms } from './row-forms.ts';
import { measureStart } from './start.ts';
import { measureSwaps } from './swaps.ts';
import { measureUncached } from './uncached.ts';

export interface Case {
  readonly title: string;
  readonly measure: (effort: Effort) => Promise<readonly Figure[]>;
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
  processes: { title: 'Two processes', measure: measureProcesses },
  peers: { title: 'Other products', measure: measurePeers },
  materialization: { title: 'Materialization', measure: measureMaterialization },
  syncs: { title: 'Syncs', measure: measureSyncs },
  swaps: { title: 'Swaps of stored tables', measure: measureSwaps },
  fairness: { title: 'Fairness between projects', measure: measureFairness },
  overload: { title: 'Overload', measure: measureOverload },
};

/** Measured only when named, and not published: they are about the code, not the service. */
export const probes: Readonly<Record<string, Case>> = {
  ablation: { title: 'What each memo of a cached run saves', measure: measureAblation },
};
