/** Writes dist/: the JavaScript of src/ and the assets that it needs. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.ts';

const root = dirname(import.meta.dirname);
const dist = join(root, 'dist');

function compile(): void {
  const compiler = join(root, 'node_modules', 'typescript7', 'bin', 'tsc');
  const project = join(root, 'tsconfig.build.json');
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the sources do not compile');
}

/** The page at /api/docs is served from here; swagger-ui-dist itself is not installed with the package. */
function copyDocsAssets(): void {
  const assets = join(dist, 'assets');
  mkdirSync(assets, { recursive: true });
  const files = { 'swagger-ui.css': '', 'swagger-ui-bundle.js': '', LICENSE: 'swagger-ui-LICENSE' };
  for (const [file, name] of Object.entries(files)) {
    const source = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`));
    copyFileSync(source, join(assets, name || file));
  }
}

/** What pages run in the browser is JavaScript as it stands. */
function copyBrowserFiles(): void {
  for (const room of ['server', 'openapi']) {
    cpSync(join(root, 'src', room, 'browser'), join(dist, room, 'browser'), { recursive: true });
  }
}

rmSync(dist, { recursive: true, force: true });
compile();
copyDocsAssets();
copyBrowserFiles();
await buildConsole({ force: true });
