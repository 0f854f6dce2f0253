/** The usage period and grouping of a view, in its URL. Pure. */
import type { ShownStep } from './usage-steps.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Range {
  readonly label: string;
  readonly step: ShownStep;
  /** How far back it goes; null for the service's default. */
  readonly backMs: number | null;
}

export const ranges = {
  '24h': { label: '24 hours', step: 'hour', backMs: null },
  '7d': { label: '7 days', step: 'hour', backMs: 7 * dayMs },
  '30d': { label: '30 days', step: 'day', backMs: 30 * dayMs },
} as const satisfies Readonly<Record<string, Range>>;
export type RangeName = keyof typeof ranges;

export interface RequestedPeriod {
  /** Start of a step, so that the request stays the same for a while. */
  readonly from: string | null;
  readonly step: ShownStep;
}

export function readRange(params: URLSearchParams): RangeName {
  const given = params.get('range') ?? '';
  return Object.hasOwn(ranges, given) ? (given as RangeName) : '24h';
}

export function timeOf(range: RangeName, now: number): RequestedPeriod {
  const { step, backMs } = ranges[range];
  const stepMs = step === 'day' ? dayMs : hourMs;
  const from = backMs === null ? null : Math.floor((now - backMs) / stepMs) * stepMs;
  return { from: from === null ? null : new Date(from).toISOString(), step };
}

export interface GroupChoice {
  readonly name: string;
  readonly label: string;
  /** The API's names. */
  readonly groupBy: readonly string[];
}

const common: readonly GroupChoice[] = [
  { name: 'key', label: 'Key', groupBy: ['key'] },
  { name: 'interface', label: 'Interface', groupBy: ['interface'] },
  { name: 'path', label: 'Served from', groupBy: ['path'] },
  { name: 'outcome', label: 'Outcome', groupBy: ['outcome'] },
];

export const projectGroups: readonly GroupChoice[] = [
  { name: 'endpoint', label: 'Endpoint', groupBy: ['endpoint'] },
  ...common,
];

export const endpointGroups: readonly GroupChoice[] = [
  { name: 'version', label: 'Version', groupBy: ['endpoint', 'version'] },
  { name: 'version-key', label: 'Version and key', groupBy: ['endpoint', 'version', 'key'] },
  ...common,
];
