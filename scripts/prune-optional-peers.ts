/**
 * Deletes the installed packages that nothing needs at run time: `node scripts/prune-optional-peers.ts [FOLDER]`.
 *
 * Run it after `npm prune --omit=dev`, which keeps each development package that a package of the service names as an optional
 * peer, and all that it depends on. @prisma/client names Prisma's command line, whose packages are as many as all others.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const folder = process.argv[2] ?? '.';
const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Package>>;
};

function namesOf(one: Package): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta } = one;
  const isRequired = (peer: string) => peerDependenciesMeta?.[peer]?.optional !== true;
  const peers = Object.keys(peerDependencies).filter(isRequired);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Where Node finds the package for one at `from`: beside it or further up. Null if it is not for this platform. */
function find(name: string, from: string): string | null {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  return from === ''
    ? null
    : find(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
}

const needed = new Set(['']);
for (const path of needed) {
  for (const name of namesOf(packages[path] ?? {})) {
    const found = find(name, path);
    if (found !== null) needed.add(found);
  }
}
const others = Object.keys(packages).filter((path) => !needed.has(path));
for (const path of others) rmSync(join(folder, path), { recursive: true, force: true });
