import { createRequire } from 'node:module';
import { z } from 'zod';

/** Of this package. package.json is two folders up both from src/lib and from dist/lib. */
export function packageVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('../../package.json');
  return z.object({ version: z.string() }).parse(manifest).version;
}
