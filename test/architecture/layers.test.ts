import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycle, readEdges } from './imports.ts';

const src = path.resolve(import.meta.dirname, '../../src');

/**
 * The rooms from the bottom to the top, as docs/architecture.md draws them. A room imports only what stands in a line
 * above its own; rooms of one line know nothing of each other. A room that is not named here fails the test.
 */
const levels: readonly (readonly string[])[] = [
  ['lib', 'generated', 'console'],
  ['errors'],
  ['config', 'metrics', 'http', 'sql', 'model'],
  ['tracing'],
  ['otel'],
  ['query'],
  ['data-graph'],
  ['engine', 'store'],
  ['cache'],
  ['access'],
  ['tables'],
  ['endpoints'],
  ['materialization'],
  ['usage'],
  ['runs'],
  ['live', 'openapi', 'health'],
  ['graphql'],
  ['rest'],
  ['server'],
  ['backends'],
  ['core'],
  ['app'],
  ['cli'],
  ['main'],
];

/** Rooms whose files decide from what they are given alone: they reach no store, no engine and no clock. */
const pure = ['sql', 'model', 'query', 'data-graph', 'materialization/planner'];

const edges = readEdges(src);
const roomOf = (file: string): string => file.split('/')[0] ?? '';
const levelOf = (file: string): number => levels.findIndex((level) => level.includes(roomOf(file)));
const shown = (found: readonly { readonly from: string; readonly to: string }[]) =>
  found.map(({ from, to }) => `${from} → ${to}`);

describe('the rooms', () => {
  it('are known: every one under src has its level', () => {
    const rooms = readdirSync(src).map((name) => name.replace(/\.ts$/, ''));
    expect(rooms.filter((room) => levelOf(room) === -1)).toEqual([]);
  });

  it('import downwards only, types included', () => {
    const upward = edges
      .filter(({ from, to }) => roomOf(from) !== roomOf(to))
      .filter(({ from, to }) => levelOf(from) <= levelOf(to));
    expect(shown(upward)).toEqual([]);
  });

  it('have no cycle of imports between files, types included', () => {
    expect(findCycle(edges)).toBeNull();
  });

  it('take the store and the engine as types in use cases', () => {
    const concepts = ['access', 'tables', 'endpoints', 'materialization', 'usage', 'runs'];
    const values = edges
      .filter(({ from, typeOnly }) => concepts.includes(roomOf(from)) && !typeOnly)
      .filter(({ to }) => roomOf(to) === 'store' || /^engine\/(clickhouse|embedded)\//.test(to));
    expect(shown(values)).toEqual([]);
  });

  it('hold their pure rules pure', () => {
    const impure = edges
      .filter(({ from }) => pure.some((room) => from.startsWith(`${room}/`)))
      .filter(({ to }) => !['lib', 'errors', ...pure].some((room) => to.startsWith(`${room}/`)));
    expect(shown(impure)).toEqual([]);
  });

  it('leave the console alone: it is a program of its own, in the browser', () => {
    const met = edges.filter(
      ({ from, to }) => (roomOf(from) === 'console') !== (roomOf(to) === 'console'),
    );
    expect(shown(met)).toEqual([]);
  });

  it('keep Prisma to the store and GraphQL', () => {
    const outside = edges
      .filter(({ to }) => roomOf(to) === 'generated')
      .filter(({ from }) => !['store', 'graphql', 'generated'].includes(roomOf(from)));
    expect(shown(outside)).toEqual([]);
  });
});

describe('the files', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/^(?:console\/)?generated\//.test(file),
  );
  const linesOf = (file: string): number =>
    readFileSync(path.join(src, file), 'utf8').split('\n').length - 1;

  it('stay within 300 lines', () => {
    expect(files.filter((file) => linesOf(file) > 300)).toEqual([]);
  });

  it('have a median of at most 75 lines', () => {
    const sorted = files.map(linesOf).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(75);
  });

  it('hold no default export', () => {
    const found = files.filter((file) =>
      /^export default/m.test(readFileSync(path.join(src, file), 'utf8')),
    );
    expect(found).toEqual([]);
  });
});
