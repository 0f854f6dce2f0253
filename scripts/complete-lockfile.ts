/**
 * Adds to package-lock.json the optional packages of other platforms that it refers to but does not list.
 *
 * npm lists an optional package of another platform only if the registry in use has it, and `npm ci` rejects a
 * lockfile that lacks one. An entry with version, system and processor is enough: npm skips it on other platforms and
 * fetches it where it fits.
 *
 * It also removes the mark of install scripts that package.json does not allow: an npm that does not know `allowScripts`
 * would run them, and one of them downloads a binary from outside the registry. Run this after `npm install`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Entry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> };

const SYSTEM = /\b(android|darwin|freebsd|linux|openharmony|win32)\b/;
const PROCESSOR = /\b(arm64|arm|x64|ia32|ppc64|riscv64|s390x)\b/;

const missing: Record<string, Entry> = {};
for (const [path, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const isListed = [`node_modules/${name}`, `${path}/node_modules/${name}`].some(
      (at) => lock.packages[at],
    );
    const entry = isListed ? null : platformEntry(name, version, dev === true);
    if (entry !== null) missing[`node_modules/${name}`] = entry;
  }
}
const packageFile = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { allowScripts } = JSON.parse(packageFile) as { allowScripts: Record<string, boolean> };
for (const [name, isAllowed] of Object.entries(allowScripts)) {
  const entry = lock.packages[`node_modules/${name}`];
  if (entry !== undefined && !isAllowed) {
    const { hasInstallScript: _, ...rest } = entry;
    lock.packages[`node_modules/${name}`] = rest;
  }
}
const packages = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) =>
  a < b ? -1 : 1,
);
writeFileSync(
  file,
  `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`,
);
console.log(`${Object.keys(missing).length} packages added`);

function platformEntry(name: string, version: string, dev: boolean): Entry | null {
  const system = SYSTEM.exec(name)?.[1];
  const processor = PROCESSOR.exec(name)?.[1];
  if (system === undefined || processor === undefined || !/^\d/.test(version)) return null;
  const libc = /musl/.test(name) ? ['musl'] : /gnu/.test(name) ? ['glibc'] : null;
  return {
    version,
    cpu: [processor],
    ...(dev ? { dev: true } : {}),
    ...(libc === null ? {} : { libc }),
    optional: true,
    os: [system],
  };
}
