import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const dir = path.join(import.meta.dirname, 'peers');
const timeoutMs = 240_000;

/** The installed peers, by name. Installs them from their lockfile when they are missing. */
export function installPeers(): Readonly<Record<string, string>> {
  const { devDependencies } = JSON.parse(read('package.json')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const names = Object.keys(devDependencies);
  const installed = () => names.flatMap((name) => versionOf(name));
  if (installed().length < names.length) {
    console.log('  installing the peers in bench/peers …');
    const options = { cwd: dir, timeout: timeoutMs, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts'], options);
    if (status !== 0) console.log(`  installing them failed: ${stderr.slice(-500)}`);
  }
  return Object.fromEntries(installed());
}

function versionOf(name: string): readonly (readonly [string, string])[] {
  const manifest = path.join('node_modules', name, 'package.json');
  if (!existsSync(path.join(dir, manifest))) return [];
  return [[name, (JSON.parse(read(manifest)) as { readonly version: string }).version]];
}

function read(file: string): string {
  return readFileSync(path.join(dir, file), 'utf8');
}
