/** Checks whether each backend responds, and records since when it has not. */
import type { Clock } from '../lib/clock.ts';
import type { BackendState } from '../model/process-report.ts';

/** Checks one backend; rejects when it does not respond. */
export type BackendCheck = () => Promise<void>;

export interface BackendProbe {
  /** Checks all concurrently; returns them in the given order of names. */
  run(): Promise<readonly BackendState[]>;
}

/** Timeout of one check. */
const waitMs = 2000;

export function openBackendProbe(
  clock: Clock,
  nowMs: () => number,
  checks: Readonly<Record<string, BackendCheck>>,
): BackendProbe {
  const awaySince = new Map<string, string>();

  async function probe(name: string, check: BackendCheck): Promise<BackendState> {
    const began = nowMs();
    const isUp = await responds(check);
    if (isUp) awaySince.delete(name);
    else if (!awaySince.has(name)) awaySince.set(name, clock.now().toISOString());
    const latencyMs = isUp ? Math.round((nowMs() - began) * 100) / 100 : null;
    return { name, isUp, latencyMs, awaySince: awaySince.get(name) ?? null };
  }

  return {
    run: () => Promise.all(Object.entries(checks).map(([name, check]) => probe(name, check))),
  };
}

function responds(check: BackendCheck): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), waitMs);
    const settle = (isUp: boolean) => {
      clearTimeout(timer);
      resolve(isUp);
    };
    check().then(
      () => settle(true),
      () => settle(false),
    );
  });
}
