import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/**
 * What a suite needs of the machine and a user's machine may lack. Where it is missing the suite prints
 * that it did not run; with TEST_REQUIRE_ALL=1, as in CI, it fails instead.
 */
export function isThere(what: string, found: boolean): boolean {
  if (found) return true;
  if (process.env.TEST_REQUIRE_ALL === '1') throw new Error(`${what} is required and not there`);
  console.warn(`DID NOT RUN: this suite needs ${what}, which is not there.`);
  return false;
}

/** A program of the PATH; null when there is none of these names. */
export function findProgram(...names: readonly string[]): string | null {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of names) {
      const file = path.join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // not in this folder
      }
    }
  }
  return null;
}
