import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../lib/private-folder.ts';

/** Created once per data folder; the project users' passwords are derived from it. */
export function readEngineSecret(dataDir: string): string {
  const file = join(dataDir, 'engine-secret');
  if (!existsSync(file)) {
    makePrivateFolder(dataDir);
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600 });
    renameSync(draft, file);
  }
  return readFileSync(file, 'utf8').trim();
}
