import type { EngineStats } from '../../engine-stats.ts';

export const noStats: EngineStats = {
  rowsRead: 0,
  bytesRead: 0,
  rowsTotal: 0,
  timeElapsed: 0,
  memoryBytes: 0,
};

/** Parses the engine's `X-ClickHouse-Summary` header; absent numbers are zero. */
export function readSummary(header: string | string[] | undefined): EngineStats {
  if (typeof header !== 'string') return noStats;
  const facts = parseObject(header);
  const number = (name: string) => Number(facts[name] ?? 0) || 0;
  return {
    rowsRead: number('read_rows'),
    bytesRead: number('read_bytes'),
    rowsTotal: number('total_rows_to_read'),
    timeElapsed: number('elapsed_ns') / 1e9,
    memoryBytes: number('memory_usage'),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
