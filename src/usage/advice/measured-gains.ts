/** The expected gain of materializing versions, measured in the background and cached for a day. */
import { LRUCache } from 'lru-cache';
import type { Principal } from '../../access/principal.ts';
import type { BackgroundWork } from '../../lib/background-work.ts';
import type { MaterializationDeps } from '../../materialization/deps.ts';
import { previewMaterialization } from '../../materialization/preview.ts';

interface MeasuredGain {
  /** How many times as fast as inline a run would be; null when it cannot be materialized or measured. */
  readonly expectedGain: number | null;
}

export interface MeasuredGains {
  /** Null when not measured yet; starts measuring unless the project is already measuring another one. */
  find(deps: GainDeps, wanted: WantedGain): MeasuredGain | null;
}

interface GainDeps extends MaterializationDeps {
  readonly background: BackgroundWork;
}

interface WantedGain {
  readonly principal: Principal;
  readonly projectId: number;
  readonly endpoint: string;
  readonly version: number;
  readonly versionId: string;
}

const maxGains = 2000;
const keptMs = 86_400_000;

export function openMeasuredGains(): MeasuredGains {
  const gains = new LRUCache<string, MeasuredGain>({ max: maxGains, ttl: keptMs });

  async function measure(deps: GainDeps, wanted: WantedGain, signal: AbortSignal): Promise<void> {
    const { principal, versionId, projectId, endpoint: name, version } = wanted;
    const call = { projectId: String(projectId), name, version, signal };
    const preview = await previewMaterialization(deps, principal, call);
    gains.set(versionId, { expectedGain: preview.gain?.expectedGain ?? null });
  }

  return {
    find(deps, wanted) {
      const known = gains.get(wanted.versionId);
      if (known !== undefined) return known;
      const group = `gain ${wanted.projectId}`;
      const job = { key: `gain ${wanted.versionId}`, group, max: 1 };
      deps.background.start(job, async (signal) => {
        try {
          await measure(deps, wanted, signal);
        } catch (error) {
          if (!signal.aborted) gains.set(wanted.versionId, { expectedGain: null });
          throw error;
        }
      });
      return null;
    },
  };
}
