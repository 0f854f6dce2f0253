/** Which fields the data graph of a project has, and what that costs. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listGraphFields, shapeOfVersion } from '../../src/endpoints/graph-fields.ts';
import { change, openSalesApp, save } from '../rest/support/sales.ts';
import { statementsOf } from '../support/statements.ts';
import type { TestApp, TestProject } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());

/** Those of saved endpoints: every project has a built-in one beside them. */
async function fields(project: TestProject = test.project) {
  const all = await listGraphFields(test.app.core, project.id);
  const saved = all.filter(({ endpointName }) => endpointName !== '_usage');
  expect(saved).toHaveLength(all.length - 1);
  return saved;
}

async function shown(): Promise<readonly string[]> {
  return (await fields()).map(
    ({ endpointName, version, isCurrent, shape }) =>
      `${shape.field}: ${endpointName} ${version}${isCurrent ? ', current' : ''}`,
  );
}

const two = { query: 'SELECT 1 AS one, {n:UInt8} AS n' };

it('has one for each active endpoint, and those of older versions that it could not serve', async () => {
  expect(await fields()).toEqual([]);
  await save(test, 'steady', { description: 'Always.' });
  await save(test, 'grown');
  await save(test, 'off');
  await save(test, 'current_off');
  await save(test, 'elsewhere', {}, test.other);
  // Version 2 has other columns, 3 those of 2 in another order, 4 another default, 5 those of 1.
  await change(test, 'grown', two);
  await change(test, 'grown', { query: 'SELECT {n:UInt8} AS n, 1 AS one' });
  await change(test, 'grown', { query: 'SELECT country, 1 AS total FROM sales' });
  await change(test, 'grown', {
    query: 'SELECT country, sum(amount) AS total FROM sales GROUP BY 1',
  });
  await change(test, 'off', { is_active: false });
  await change(test, 'current_off', two);
  await change(test, 'current_off', { version: 2, is_active: false });
  expect(await shown()).toEqual([
    'grown: grown 5, current',
    'grown_v2: grown 2',
    'grown_v3: grown 3',
    'grown_v4: grown 4',
    'steady: steady 1, current',
  ]);
  await change(test, 'grown', { version: 3, is_active: false });
  expect(await shown()).toEqual([
    'grown: grown 5, current',
    'grown_v2: grown 2',
    'grown_v4: grown 4',
    'steady: steady 1, current',
  ]);
});

it('shows each version as it is, with its own types', async () => {
  const [current, second] = (await fields()).map(({ shape }) => shape);
  expect(current).toMatchObject({
    rowType: 'GrownRow',
    columns: [{ name: 'country' }, { name: 'total', type: { name: 'BigInt', nonNull: true } }],
    args: [],
  });
  expect(second).toMatchObject({
    rowType: 'Grown_v2Row',
    columns: [{ name: 'one' }, { name: 'n' }],
    args: [{ name: 'n', isRequired: true, type: { name: 'Int', nonNull: true } }],
  });
});

it('tells a new description with the same shape otherwise', async () => {
  const before = (await fields()).find(({ endpointName }) => endpointName === 'steady');
  await change(test, 'steady', { description: 'Never.' });
  const after = (await fields()).find(({ endpointName }) => endpointName === 'steady');
  expect(before?.shape.description).toBe('Always.');
  expect(after?.shape).toEqual({ ...before?.shape, description: 'Never.' });
});

it('is the same from the record that a run looks up', async () => {
  const { endpoints, shapes } = test.app.core;
  const endpoint = await endpoints.findByField(test.project.id, 'grown');
  if (endpoint === null) throw new Error('grown is there');
  const current = shapeOfVersion(shapes, { endpoint, version: endpoint.currentVersion });
  expect(current).toBe((await fields())[0]?.shape);
  const version = await endpoints.findVersion(endpoint.id, 2);
  if (version === null) throw new Error('version 2 is there');
  const older = shapeOfVersion(shapes, { endpoint, version }, true);
  expect(older).toBe((await fields())[1]?.shape);
});

it('reads the revision, and what it does not know of it, in three statements however many there are', async () => {
  const { project } = test;
  const names = Array.from({ length: 30 }, (_, n) => `many_${n}`);
  for (const name of names) await save(test, name);
  expect(await statementsOf(test, () => fields(project))).toHaveLength(3);
  expect(await statementsOf(test, () => fields(project))).toHaveLength(1);
  await change(test, 'many_7', { query: 'SELECT 1' });
  expect(await statementsOf(test, () => fields(project))).toHaveLength(3);
});
