/**
 * Builds the console to dist/console, from where the service serves it. Without `--force` only when its sources, or what they
 * are built with, have changed since.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(import.meta.dirname);
const sources = path.join(root, 'src', 'console');
const target = path.join(root, 'dist', 'console');

/** What the built files were made of. */
function fingerprint(): string {
  const hash = createHash('sha256');
  const files = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  for (const file of [...files, path.join(root, 'package.json'), fileURLToPath(import.meta.url)])
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

function isCurrent(print: string): boolean {
  const stamp = path.join(target, 'sources.sha256');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === print;
}

/** Beside the present files first, so that nobody meets half of a build. @returns whether there was anything to do. */
export async function buildConsole({ force = false } = {}): Promise<boolean> {
  const print = fingerprint();
  if (!force && isCurrent(print)) return false;
  const draft = `${target}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  await inProduction(() => bundle(draft));
  writeFileSync(path.join(draft, 'sources.sha256'), print);
  if (force || !isCurrent(print)) replaceBy(draft, print);
  rmSync(draft, { recursive: true, force: true });
  return true;
}

const maxTries = 10;

/** Several processes may build the same files at once: the first one's stay, and one that is in the way is replaced again. */
function replaceBy(draft: string, print: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      // It fails, too, when another process puts its files there meanwhile.
      rmSync(target, { recursive: true, force: true });
      renameSync(draft, target);
      return;
    } catch (error) {
      if (isCurrent(print)) return;
      if (tries === maxTries) throw error;
    }
  }
}

/** React's development build is what the bundler takes in any other environment, as that of tests. */
async function inProduction(work: () => Promise<void>): Promise<void> {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

async function bundle(outDir: string): Promise<void> {
  const { build } = await import('vite');
  const { default: react } = await import('@vitejs/plugin-react');
  await build({
    configFile: false,
    root: sources,
    base: '/console/',
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir,
      emptyOutDir: true,
      target: ['chrome123', 'firefox128', 'safari17.5'],
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // test/console holds the sizes as they are sent.
      chunkSizeWarningLimit: 2000,
      assetsDir: '.',
      assetsInlineLimit: 0,
      // What every page loads is one file, and not one for each set of views that share a part of it.
      rolldownOptions: {
        output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } },
      },
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const startedAt = performance.now();
  try {
    const isBuilt = await buildConsole({ force: process.argv.includes('--force') });
    if (isBuilt) console.log(`console built in ${Math.round(performance.now() - startedAt)} ms`);
  } catch (error) {
    // The service works without: `/` then leads to GraphiQL.
    const isMissing = (error as { readonly code?: string }).code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing || process.argv.includes('--force')) throw error;
    console.warn('The console is not built: its development packages are not installed.');
  }
}
