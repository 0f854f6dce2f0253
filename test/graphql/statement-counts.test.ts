import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statementsOf } from '../support/statements.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  for (let n = 0; n < 20; n += 1) {
    await test.rest('POST', '/endpoints', { body: { name: `e${n}`, query: `SELECT ${n} AS n` } });
    await test.rest('PATCH', `/endpoints/e${n}`, { body: { query: `SELECT ${n} + 1 AS n` } });
    await test.rest('GET', `/endpoints/e${n}/run`);
  }
  await test.app.core.recorder.flush();
});
afterAll(() => test.close());

/** Statements for the same question over 2 rows and over 20. */
async function countBoth(
  ask: (rows: number) => Promise<unknown>,
): Promise<readonly [number, number]> {
  const counts: number[] = [];
  for (const rows of [2, 20]) {
    counts.push((await statementsOf(test, () => ask(rows))).length);
  }
  return [counts[0] ?? 0, counts[1] ?? 0];
}

const everything = `id name description query url columns { name } variables { name } createdBy { email }
  isMaterialized materialization { status reason } version { version versionCreatedBy { email } } versionsCount`;

describe('the number of SQL statements does not grow with the rows', () => {
  it('of the REST list', async () => {
    const [few, many] = await countBoth((rows) => test.rest('GET', `/endpoints?limit=${rows}`));
    expect(many).toBe(few);
    expect(many).toBeLessThanOrEqual(4);
  });

  it('of a GraphQL list with its versions, materializations and authors', async () => {
    const [few, many] = await countBoth((rows) =>
      test.graphql(
        `{ endpoints(projectId: "@current", first: ${rows}) { totalCount edges { node { ${everything} } } } }`,
      ),
    );
    expect(many).toBe(few);
    expect(many).toBeLessThanOrEqual(4);
  });

  it('of a GraphQL list with each endpoint’s newest execution and pages of versions', async () => {
    const [few, many] = await countBoth((rows) =>
      test.graphql(
        `{ endpoints(projectId: "@current", first: ${rows}) { edges { node { latestExecution { id } versions(first: 2) { edges { node { version } } } } } } }`,
      ),
    );
    expect(many).toBe(few);
    expect(many).toBeLessThanOrEqual(5);
  });

  it('of the REST versions', async () => {
    const [few, many] = await countBoth((rows) =>
      test.rest('GET', `/endpoints/e1/versions?limit=${rows}`),
    );
    expect(many).toBe(few);
  });
});

it('a run whose lookups and result are cached sends no statement to the metadata database', async () => {
  const run = () => test.rest('GET', '/endpoints/e3/run');
  await run();
  expect(await statementsOf(test, run)).toEqual([]);
  expect((await run()).body.is_cached).toBe(true);
});
