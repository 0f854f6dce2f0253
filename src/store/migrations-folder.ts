import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface Migration {
  /** The folder's name; migrations run in the order of their names. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file's bytes in hexadecimal, as Prisma records it. */
  readonly checksum: string;
}

/** The migrations of this build, whether it runs from src/ or from dist/. */
export function findMigrationsDir(): string {
  for (let at = import.meta.dirname; at !== path.dirname(at); at = path.dirname(at)) {
    const found = path.join(at, 'prisma', 'migrations');
    if (existsSync(path.join(at, 'package.json')) && existsSync(found)) return found;
  }
  throw new Error(
    `prisma/migrations is missing from the installation above ${import.meta.dirname}`,
  );
}

/** Every migration of the folder, in application order. */
export async function listMigrations(dir: string): Promise<readonly Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const bytes = await readFile(path.join(dir, name, 'migration.sql'));
      const checksum = createHash('sha256').update(bytes).digest('hex');
      return { name, sql: bytes.toString('utf8'), checksum };
    }),
  );
}
