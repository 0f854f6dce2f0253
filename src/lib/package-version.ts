import { createRequire } from 'node:module';
import { z } from 'zod';

/** This package's version. package.json is two folders up from both src/lib and dist/lib. */
export function packageVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('../../package.json');
  return z.object({ version: z.string() }).parse(manifest).version;
}
