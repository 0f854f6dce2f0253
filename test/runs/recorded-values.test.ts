/** Values of variables in the list of executions: only where the project says so, and only for those who may read them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp, TestProject } from '../support/test-app.ts';

let test: TestApp;
const query =
  'SELECT {country:String} AS c, {n:Int64} AS n, {list:Array(String)} AS l, {more:String} AS m';

beforeAll(async () => {
  test = await openSalesApp();
  for (const project of [test.project, test.other]) await save(test, 'typed', { query }, project);
});
afterAll(() => test.close());

const record = async (recordsValues: boolean) => {
  const document = `mutation ($settings: ProjectSettingsInput!) {
    setProjectSettings(projectId: ${test.project.id}, settings: $settings) { id recordsValues }
  }`;
  const variables = { settings: { recordsValues } };
  const { body } = await test.graphql(document, variables, { key: test.adminKey });
  expect(body).toEqual({
    data: { setProjectSettings: { id: String(test.project.id), recordsValues } },
  });
};

async function run(more: unknown, project: TestProject = test.project): Promise<string> {
  const variables = `{"country": "Wien", "n": 9007199254740993, "list": ["a", "b"], "more": ${JSON.stringify(more)}}`;
  const path = `/endpoints/typed/run?refresh=force&variables=${encodeURIComponent(variables)}`;
  const ran = await test.rest('GET', path, { project });
  expect(ran.status, ran.text).toBe(200);
  return String(ran.body.execution_id);
}

async function variablesOf(id: string, project = test.project, key = project.writeKey) {
  const path = `/endpoints/typed/logs?instance_id=${id}`;
  const { body } = await test.rest('GET', path, { project, key });
  const [entry] = body.results as readonly { readonly variables: unknown }[];
  return entry?.variables;
}

const shapes = {
  country: { type: 'string', length: 4 },
  n: { type: 'number' },
  list: { type: 'list', length: 2 },
};

describe('values of variables', () => {
  it('are not recorded unless the project says so', async () => {
    const id = await run('x');
    expect(await variablesOf(id)).toEqual({ ...shapes, more: { type: 'string', length: 1 } });
    await record(true);
    expect(await variablesOf(id)).toEqual({ ...shapes, more: { type: 'string', length: 1 } });
    const other = await run('x', test.other);
    expect(await variablesOf(other, test.other)).toEqual({
      ...shapes,
      more: { type: 'string', length: 1 },
    });
    await record(false);
  });

  it('are told with every digit, to keys that may write', async () => {
    await record(true);
    const id = await run('x');
    const { country, n, list } = shapes;
    const told = {
      country: { ...country, value: 'Wien' },
      n: { ...n, value: '9007199254740993' },
      list: { ...list, value: '["a","b"]' },
      more: { type: 'string', length: 1, value: 'x' },
    };
    expect(await variablesOf(id)).toEqual(told);
    expect(await variablesOf(id, test.project, test.project.readKey)).toEqual({
      ...shapes,
      more: { type: 'string', length: 1 },
    });
    const document = `{ executions(projectId: ${test.project.id}, filter: {instanceId: "${id}"}) { entries { variables } } }`;
    const { body } = await test.graphql(document);
    expect(body.data).toEqual({ executions: { entries: [{ variables: told }] } });
    await record(false);
    expect(await variablesOf(id)).toEqual({ ...shapes, more: { type: 'string', length: 1 } });
  });

  it.each([
    ['longer than 256 characters', () => 'x'.repeat(257)],
    ['an API key without its prefix', () => test.project.readKey.slice(4)],
  ])('are left out where one is %s', async (_what, value) => {
    await record(true);
    const id = await run(value());
    expect(await variablesOf(id)).toMatchObject({
      country: { value: 'Wien' },
      more: { type: 'string', length: value().length },
    });
    expect(await variablesOf(id)).not.toHaveProperty('more.value');
    await record(false);
  });
});

describe('the setting', () => {
  it.each([
    ['a key that may write', () => test.project.writeKey, 'permission_denied', true],
    ['an administrator who names none', () => test.adminKey, 'invalid_input', null],
  ])('is refused to %s', async (_who, key, code, recordsValues) => {
    const document =
      'mutation ($s: ProjectSettingsInput!) { setProjectSettings(projectId: "@current", settings: $s) { id } }';
    const { body } = await test.graphql(document, { s: { recordsValues } }, { key: key() });
    expect(body.errors?.[0]?.extensions.code).toBe(code);
    expect((await test.app.core.projects.findProject(test.project.id))?.recordsValues).toBe(false);
  });
});
