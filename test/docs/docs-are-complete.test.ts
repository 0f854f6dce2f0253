/** What callers, operators and contributors are told is what the code has: both ways, name by name. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { settings } from '../../src/config/config.ts';
import { type ErrorCode, errorStatus, errorType } from '../../src/errors/service-error.ts';
import { schema } from '../../src/graphql/schema.ts';
import { operations } from '../../src/rest/operations/all.ts';
import { codesIn, linksOf, type Row, readPage, slugsOf, tableRows } from './markdown.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readPage(path.join(root, file));

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Readonly<
  Record<
    'dependencies' | 'devDependencies' | 'optionalDependencies' | 'scripts',
    Readonly<Record<string, string>>
  >
>;

const sorted = (names: Iterable<string>): readonly string[] => [...names].sort();
const firstCell = (row: Row): string => row[0] ?? '';

describe('docs/errors.md', () => {
  const rows = tableRows(read('docs/errors.md'), 'The codes');

  it('has every code and no other, with status and type', () => {
    const told = rows.map(([code = '', status, type]) => [codesIn(code)[0], Number(status), type]);
    const known = Object.entries(errorStatus).map(([code, status]) => [
      code,
      status,
      errorType(code as ErrorCode),
    ]);
    expect(told).toEqual(known);
  });

  it('describes for each when it occurs and what to do', () => {
    const silent = rows.filter((row) => row.length !== 5 || row.some((cell) => cell === ''));
    expect(silent).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  it('has every setting and no other, with unit and default', () => {
    const told = tableRows(read('docs/configuration.md')).map(([name = '', unit, value = '']) => ({
      name: codesIn(name)[0],
      unit,
      value: value === 'empty' ? '' : codesIn(value)[0],
    }));
    const known = Object.values(settings).map((setting) => ({
      name: setting.env,
      unit: setting.unit,
      value: String(setting.default as string | number | boolean),
    }));
    const byName = <T extends { readonly name: string | undefined }>(all: readonly T[]) =>
      [...all].sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
    expect(byName(told)).toEqual(byName(known));
  });
});

describe('the routes', () => {
  const known = operations.map((route, at) => [
    String(at + 1),
    route.method,
    `\`${route.path}\``,
    route.scope,
  ]);

  it('stand in the README, in their order', () => {
    expect(tableRows(read('README.md'), 'REST').map((row) => row.slice(0, 4))).toEqual(known);
  });

  it('stand in docs/rest-api.md with their statuses', () => {
    const told = tableRows(read('docs/rest-api.md'), 'Routes').slice(0, operations.length);
    expect(told).toEqual(
      known.map((row, at) => [...row, String(operations[at]?.status)] as readonly string[]),
    );
  });

  it('have a section each in docs/rest-api.md', () => {
    const headings = [...read('docs/rest-api.md').matchAll(/^### (\d+\. [A-Z]+ \/.*)$/gm)];
    expect(headings.map((match) => match[1])).toEqual(
      operations.map((route, at) => `${at + 1}. ${route.method} ${route.path}`),
    );
  });

  it('have each of their inputs named there', () => {
    const told = new Set(codesIn(read('docs/rest-api.md')));
    const inputs = operations.flatMap((route) => [
      ...Object.keys(route.query),
      ...Object.keys(route.body ?? {}),
    ]);
    expect(inputs.filter((name) => !told.has(name) && name !== 'names')).toEqual([]);
  });
});

describe('docs/graphql-api.md', () => {
  it.each([
    ['Queries', schema.getQueryType()],
    ['Mutations', schema.getMutationType()],
  ] as const)('has every field of %s and no other, with its arguments', (section, type) => {
    const told = tableRows(read('docs/graphql-api.md'), section).map(([name = '', args = '']) => [
      codesIn(name)[0] ?? '',
      sorted(codesIn(args)),
    ]);
    expect(Object.fromEntries(told)).toEqual(fieldsOf(type));
  });
});

function fieldsOf(type: GraphQLObjectType | null | undefined): object {
  return Object.fromEntries(
    Object.values(type?.getFields() ?? {}).map((field) => [
      field.name,
      sorted(field.args.map((arg) => arg.name)),
    ]),
  );
}

describe('docs/architecture.md', () => {
  it('gives a reason for every package and for no other', () => {
    const told = tableRows(read('docs/architecture.md'), 'Dependencies').flatMap((row) =>
      codesIn(firstCell(row)),
    );
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const known = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(sorted(told)).toEqual(sorted(known));
  });

  it('has every room of src', () => {
    const told = tableRows(read('docs/architecture.md'), 'Layout').flatMap((row) =>
      codesIn(firstCell(row)),
    );
    const rooms = readdirSync(path.join(root, 'src'), { withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? `src/${entry.name}/` : `src/${entry.name}`,
    );
    expect(sorted(told.filter((place) => place.startsWith('src/')))).toEqual(sorted(rooms));
  });
});

describe('docs/operations.md', () => {
  it('has every metric and no other', () => {
    const src = path.join(root, 'src');
    const code = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
      .map((file) => readFileSync(path.join(src, file), 'utf8'))
      .join('\n');
    const known = [...code.matchAll(/\.(?:counter|gauges?|histogram)\(\s*'([a-z_]+)'/g)];
    const told = tableRows(read('docs/operations.md'), 'Metrics').flatMap((row) =>
      codesIn(firstCell(row)),
    );
    expect(known.length).toBeGreaterThan(5);
    expect(sorted(told)).toEqual(sorted(known.map((match) => match[1] ?? '')));
  });
});

describe('the pages', () => {
  it.each(pages)('%s links to what is there', (page) => {
    const broken = linksOf(read(page)).filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(root, target))) return true;
      return anchor !== undefined && !slugsOf(read(target)).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it.each(pages)('%s names npm scripts that exist', (page) => {
    const named = [...read(page).matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)].map((m) => m[1]);
    expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name ?? ''))).toEqual([]);
  });

  it.each(pages)('%s names tests that exist', (page) => {
    const named = [...read(page).matchAll(/`(test\/[\w./-]+)`/g)].map((match) => match[1] ?? '');
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it.each(pages)('%s names source files that exist', (page) => {
    const named = [...read(page).matchAll(/`(src\/[\w./-]+)`/g)].map((match) => match[1] ?? '');
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('are short where they are read first', () => {
    const linesOf = (page: string) => read(page).trimEnd().split('\n').length;
    expect(linesOf('README.md')).toBeLessThanOrEqual(150);
    expect(linesOf('CONTRIBUTING.md')).toBeLessThanOrEqual(80);
  });
});
