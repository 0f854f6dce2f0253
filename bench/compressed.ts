import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type AgainstRaw, againstRaw } from './against-raw.ts';
import { openCachedRows, saveRows } from './cached-rows.ts';
import { withDemo } from './demo-server.ts';
import type { Effort } from './effort.ts';
import type { Figure } from './figure.ts';
import type { LoadCase } from './socket-load.ts';

const unpack = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync } as const;

/** A cached response of 20 kB in each encoding, compared with a bare server that sends the compressed bytes. */
export function measureCompressed(effort: Effort): Promise<readonly Figure[]> {
  return withDemo(async (demo) => {
    await saveRows(demo, 'twenty_kb', 100);
    const { rest } = await openCachedRows(demo, 'twenty_kb');
    const cases = Object.keys(unpack).map(
      (coding): AgainstRaw => ({
        name: `REST GET, cached 20 kB, ${coding}`,
        target: { atLeast: 0.7 },
        load: compressed(rest, coding as keyof typeof unpack),
      }),
    );
    return againstRaw(demo, cases, effort.of({ rounds: 7, seconds: 0.6, connections: 32 }));
  });
}

function compressed(plain: LoadCase, coding: keyof typeof unpack): LoadCase {
  return {
    ...plain,
    headers: { ...plain.headers, 'accept-encoding': coding },
    check: (response) => {
      const actual = response.headers['content-encoding'];
      if (actual !== coding) throw new Error(`came as ${actual} instead of ${coding}`);
      plain.check({ ...response, body: unpack[coding](response.body) });
    },
  };
}
