/** Private temporary folders for streamed data. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { limitBytes } from './plain-file.ts';
import { makePrivateFolder } from './private-folder.ts';
import { markTempFolder, sweepTempFolders } from './temp-folders.ts';

export interface SpoolFolder extends AsyncDisposable {
  path(name: string): string;
}

/**
 * A folder below the parent that only this user may read; disposing removes it. Also removes leftovers of killed
 * processes.
 *
 * @param prefix beginning of the folder's name: letters and hyphens.
 */
export async function openSpoolFolder(parent: string, prefix: string): Promise<SpoolFolder> {
  makePrivateFolder(parent);
  sweepTempFolders({ parent, name: new RegExp(`^${prefix}\\w{6}$`) });
  const dir = await mkdtemp(join(parent, prefix));
  markTempFolder(dir);
  return {
    path: (name) => join(dir, name),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

export interface SpoolOptions {
  readonly path: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Writes a stream to a file as fast as the disk allows. Throws FileTooLargeError beyond `maxBytes`. */
export function writeSpool(
  data: AsyncIterable<Buffer>,
  { path, maxBytes, signal }: SpoolOptions,
): Promise<void> {
  const to = createWriteStream(path, { mode: 0o600, flags: 'wx' });
  return pipeline(data, limitBytes(maxBytes), to, { signal });
}
