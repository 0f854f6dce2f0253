import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A folder of its own under the system's temporary one, where the libraries resolve. */
export interface ProgramsFolder {
  readonly dir: string;
  write(file: string, text: string): void;
  /** Deletes the folder. */
  remove(): void;
}

export function openProgramsFolder(): ProgramsFolder {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'querydock-clients-'));
  const modules = path.resolve(import.meta.dirname, '../../../node_modules');
  symlinkSync(modules, path.join(dir, 'node_modules'));
  const write = (file: string, text: string): void => writeFileSync(path.join(dir, file), text);
  write('package.json', '{"type":"module"}');
  return { dir, write, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
