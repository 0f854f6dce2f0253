/** Where the processor time of the service goes: a profile of each service process, summed by part. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  /** The node of each sample, and the microseconds since the sample before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface Profiling {
  /** Over all services that have ended: the parts with most self time, and their shares of the busy time. */
  summarise(most: number): readonly (readonly [part: string, share: number])[];
  stop(): void;
}

/** Makes every Node process started from now on write a profile when it ends. */
export function startProfiling(): Profiling {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'querydock-profile-'));
  const before = process.env.NODE_OPTIONS ?? '';
  process.env.NODE_OPTIONS = `${before} --cpu-prof --cpu-prof-dir=${dir}`.trim();
  return {
    summarise(most) {
      const profiles = readdirSync(dir).map(
        (name) => JSON.parse(readFileSync(path.join(dir, name), 'utf8')) as CpuProfile,
      );
      const sums = sumByPlace(profiles.filter(isService));
      const busy = [...sums.values()].reduce((all, each) => all + each, 0);
      const sorted = [...sums].sort(([, a], [, b]) => b - a).slice(0, most);
      return sorted.map(([part, micros]) => [part, micros / busy] as const);
    },
    stop() {
      process.env.NODE_OPTIONS = before;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The raw server, the engine and the peers write profiles too. */
function isService({ nodes }: CpuProfile): boolean {
  return nodes.some(({ callFrame }) => callFrame.url.endsWith('/src/http/dispatch.ts'));
}

function sumByPlace(profiles: readonly CpuProfile[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { nodes, samples, timeDeltas } of profiles) {
    const parts = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
    for (const [at, id] of samples.entries()) {
      const part = parts.get(id) ?? '';
      if (part !== '(idle)') sums.set(part, (sums.get(part) ?? 0) + (timeDeltas[at] ?? 0));
    }
  }
  return sums;
}

/** A package, a room of `src`, a module of Node, or the JavaScript engine itself. */
function partOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
  const [, pack] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (pack !== undefined) return pack;
  const [, room] = /\/(src\/[^/]+)/.exec(url) ?? [];
  if (room !== undefined) return room;
  if (url.startsWith('node:'))
    return url.replace('node:internal/deps/', 'node:').split('/')[0] + tail(url);
  return url.startsWith('wasm:') ? 'WebAssembly' : functionName || '(anonymous)';
}

/** Enough of a Node module's path to recognise it. */
function tail(url: string): string {
  const [, second] = url.split('/');
  return second === undefined ? '' : `/${second}`;
}
