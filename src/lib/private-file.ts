import { chmodSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only this user may read. Who reads it meanwhile sees the old text or the new one, whole. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}
