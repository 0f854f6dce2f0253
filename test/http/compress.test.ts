import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compress, encodingFor } from '../../src/http/compress.ts';

const large = 100_000;

describe('the encoding of a large body', () => {
  it.each([
    [null, null],
    ['', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br', 'br'],
    ['GZIP', 'gzip'],
    ['*', 'zstd'],
    ['*;q=0', null],
    ['zstd;q=0, *', 'br'],
    ['zstd;q=0.5, gzip;q=0.8', 'gzip'],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['gzip;q=2', null],
    ['gzip;q=nonsense', null],
    ['deflate', null],
    [`${'x'.repeat(600)}, gzip`, null],
  ])('is what Accept-Encoding %j prefers: %s', (header, encoding) => {
    expect(encodingFor(large, header)).toBe(encoding);
    // The choice for a header is cached.
    expect(encodingFor(large, header)).toBe(encoding);
  });

  it('is none for a body so small that compressing it saves nothing', () => {
    expect(encodingFor(1399, 'gzip')).toBeNull();
    expect(encodingFor(1400, 'gzip')).toBe('gzip');
  });
});

it.each([
  ['zstd', zstdDecompressSync],
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('compresses by %s without losing a byte', async (encoding, decompress) => {
  const bytes = Buffer.from('["é",1],'.repeat(5000));
  const compressed = await compress(bytes, encoding);
  expect(compressed.length).toBeLessThan(bytes.length / 10);
  expect(decompress(compressed).equals(bytes)).toBe(true);
});
