import type { OpenAPIObject, OperationObject } from 'openapi3-ts/oas30';
import { describe, expect, it } from 'vitest';
import type { DocumentedVersion } from '../../src/openapi/documented-version.ts';
import { projectDocument } from '../../src/openapi/project-document.ts';
import { lint } from './lint.ts';
import { arrays, objects, optional, publicUrl, variable, version } from './samples.ts';

const twice = [
  { name: 'n', type: 'UInt64' },
  { name: 'n', type: 'UInt64' },
];

function describeProject(
  versions: readonly DocumentedVersion[],
  choice: typeof objects | typeof arrays = objects,
): { readonly document: OpenAPIObject; readonly left: readonly string[] } {
  const left: string[] = [];
  const project = { name: 'Flights', versions };
  const onUndescribed = (name: string) => left.push(name);
  const document = projectDocument(project, publicUrl, { ...choice, onUndescribed });
  return { document, left };
}

function idsOf({ paths }: OpenAPIObject): readonly (readonly (string | undefined)[])[] {
  return Object.values(paths).map(({ post, get }) =>
    [post, get].map((operation: OperationObject | undefined) => operation?.operationId),
  );
}

const some = [
  version({ name: 'second', variables: [variable('day', 'Date'), optional('a', 'String', 'x')] }),
  version({ name: 'first' }),
  version({ name: 'pairs', columns: twice }),
];

describe('the document of a project', () => {
  it.each([
    ['objects', objects],
    ['arrays', arrays],
  ] as const)('passes the linter with %s', async (_name, choice) => {
    expect(await lint(describeProject(some, choice).document)).toEqual([]);
    expect(await lint(describeProject([version()], choice).document)).toEqual([]);
  });

  it('has every endpoint by name, each with a row of its own', () => {
    const { document } = describeProject(some);
    expect(Object.keys(document.paths)).toEqual(
      ['first', 'pairs', 'second'].map((name) => `/api/projects/7/endpoints/${name}/run`),
    );
    expect(Object.keys(document.components?.schemas ?? {})).toEqual([
      'FirstRow',
      'FirstRun',
      'PairsRun',
      'SecondRow',
      'SecondRun',
      'DashboardFilter',
      'PropertyFilter',
      'QueryProgress',
      'Error',
    ]);
  });

  it('is the same whatever the order of what is asked', () => {
    const { document } = describeProject(some);
    expect(JSON.stringify(describeProject([...some].reverse()).document)).toBe(
      JSON.stringify(document),
    );
  });

  it('names operations so that no two are one name in a generated client', () => {
    const names = ['a-b', 'a_b', 'aB', 'a-b-get', 'a_b_2'];
    const { document } = describeProject(names.map((name) => version({ name })));
    const ids = idsOf(document).flat();
    const derived = ids.map((id) => id?.replaceAll('_', '').toLowerCase());
    expect(new Set(derived).size).toBe(2 * names.length);
    expect(document.paths['/api/projects/7/endpoints/a-b/run']?.post?.operationId).toBe('run_a_b');
    expect(document.paths['/api/projects/7/endpoints/a_b/run']?.post?.operationId).toBe(
      'run_a_b_2',
    );
  });

  it('gives an older endpoint its id, whatever is made later', () => {
    const before = describeProject([version({ name: 'b-a' })]).document;
    const after = describeProject([version({ name: 'b-a' }), version({ name: 'bA' })]).document;
    const path = '/api/projects/7/endpoints/b-a/run';
    expect(after.paths[path]?.post?.operationId).toBe(before.paths[path]?.post?.operationId);
  });

  it('leaves out an endpoint that cannot be described, and says so', () => {
    const broken = {
      ...version({ name: 'broken' }),
      columns: null,
    } as unknown as DocumentedVersion;
    const { document, left } = describeProject([broken, version({ name: 'whole' })]);
    expect(left).toEqual(['broken']);
    expect(Object.keys(document.paths)).toEqual(['/api/projects/7/endpoints/whole/run']);
  });
});
