/** What `npm pack` makes can be installed in an empty folder and started there. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root, startServer, type TempFolder, tempFolder } from './support/processes.ts';

let folder: TempFolder;
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());

function npm(args: readonly string[], cwd: string): void {
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
  });
}

/** Of a copy: packing builds dist/, which a checkout does not have. */
function pack(target: string): void {
  const copy = path.join(folder.dir, 'checkout');
  mkdirSync(copy);
  const parts = ['bin', 'examples', 'prisma', 'scripts', 'src', 'package.json', '.npmrc'];
  const texts = ['README.md', 'CHANGELOG.md', 'LICENSE', 'tsconfig.json', 'tsconfig.build.json'];
  for (const part of [...parts, ...texts]) {
    const from = path.join(root, part);
    if (existsSync(from)) cpSync(from, path.join(copy, part), { recursive: true });
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  npm(['pack', '--pack-destination', target], copy);
}

it('starts from its tarball, with its pages and its migrations', async () => {
  const place = path.join(folder.dir, 'place');
  mkdirSync(place);
  pack(place);
  const [tarball] = readdirSync(place);
  npm(['install', `./${tarball}`, '--prefer-offline'], place);
  expect(existsSync(path.join(place, 'node_modules', 'swagger-ui-dist'))).toBe(false);

  const command = [path.join(place, 'node_modules', '.bin', 'querydock')];
  const server = await startServer('start', { DATA_DIR: path.join(place, 'data') }, command);
  const read = async (page: string, accept = '*/*') => {
    const response = await fetch(server.url + page, { headers: { accept } });
    return `${response.status} ${await response.text()}`;
  };
  expect(await read('/readyz')).toBe(
    '200 {"ready":true,"parts":{"records":"ready","engine":"ready"}}',
  );
  const home = await read('/', 'text/html');
  const script = /src="(\/console\/index-[\w-]+\.js)"/.exec(home)?.[1] ?? '';
  expect(await read(script)).toMatch(/^200 /);
  expect(existsSync(path.join(place, 'node_modules', 'react'))).toBe(false);
  expect(await read('/graphql', 'text/html')).toMatch(/^200 .*GraphiQL/s);
  expect(await read('/api/docs')).toMatch(/^200 .*swagger-ui-bundle\.js/s);
  expect(await read('/api/docs/swagger-ui-bundle.js')).toMatch(/^200 /);
  expect(await server.end('SIGINT')).toEqual({ code: 0, signal: null });
});
