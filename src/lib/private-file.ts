import { chmodSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only this user may read. Atomic: a concurrent reader sees either the old or the new text. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}
