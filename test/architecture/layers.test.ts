import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycle, readEdges } from './imports.ts';

const src = path.resolve(import.meta.dirname, '../../src');

/** What each room may import from, besides itself. A room or file that is not named here fails the test. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  generated: [],
  domain: ['lib'],
  config: ['lib'],
  engine: ['lib', 'domain', 'config'],
  store: ['lib', 'domain', 'generated', 'config'],
  openapi: ['lib', 'domain'],
  cache: ['lib', 'domain', 'engine'],
  core: ['lib', 'domain', 'config', 'engine', 'store', 'cache'],
  worker: ['lib', 'domain', 'config', 'engine', 'store', 'cache', 'core'],
  graphql: ['lib', 'domain', 'config', 'engine', 'store', 'openapi', 'core', 'generated'],
  rest: ['lib', 'domain', 'config', 'core', 'graphql', 'openapi'],
  http: ['lib', 'domain', 'config', 'core', 'openapi', 'graphql', 'rest'],
  parts: ['lib', 'domain', 'config', 'engine', 'store'],
  app: [
    'lib',
    'domain',
    'config',
    'engine',
    'store',
    'cache',
    'core',
    'worker',
    'graphql',
    'rest',
    'http',
    'openapi',
    'parts',
  ],
  main: ['lib', 'domain', 'config', 'engine', 'store', 'core', 'http', 'parts', 'app', 'cli'],
  cli: ['lib', 'domain', 'config', 'engine', 'store', 'core', 'http', 'parts', 'app', 'main'],
};

const edges = readEdges(src);
const roomOf = (file: string): string => file.split('/')[0] ?? '';

describe('the layers', () => {
  it('are known: every room under src has its row', () => {
    const rooms = readdirSync(src).map((name) => name.replace(/\.ts$/, ''));
    expect(rooms.filter((room) => allowed[room] === undefined)).toEqual([]);
  });

  it('import downwards only', () => {
    const upward = edges
      .filter(({ from, to }) => roomOf(from) !== roomOf(to))
      .filter(({ from, to }) => !(allowed[roomOf(from)] ?? []).includes(roomOf(to)))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(upward).toEqual([]);
  });

  it('have no cycle of imports', () => {
    expect(findCycle(edges)).toBeNull();
  });

  it('give core the store and the engine as types only', () => {
    const values = edges
      .filter(({ from, typeOnly }) => roomOf(from) === 'core' && !typeOnly)
      .filter(({ to }) => ['store', 'engine'].includes(roomOf(to)))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(values).toEqual([]);
  });

  it('keep Prisma to the store and GraphQL', () => {
    const outside = edges
      .filter(({ to }) => roomOf(to) === 'generated')
      .filter(({ from }) => !['store', 'graphql', 'generated'].includes(roomOf(from)))
      .map(({ from }) => from);
    expect(outside).toEqual([]);
  });
});

describe('the files', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('generated'),
  );

  it('stay under 300 lines', () => {
    const long = files.filter(
      (file) => readFileSync(path.join(src, file), 'utf8').split('\n').length > 301,
    );
    expect(long).toEqual([]);
  });

  it('hold no default export', () => {
    const found = files.filter((file) =>
      /^export default/m.test(readFileSync(path.join(src, file), 'utf8')),
    );
    expect(found).toEqual([]);
  });
});
