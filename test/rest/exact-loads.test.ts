/** Loaded values arrive as they were written, or the load is refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
let key: string;

beforeAll(async () => {
  app = await openTestApp();
  ({ key } = await app.issueKey({ scopes: ['data:write'], projects: [app.project] }));
});
afterAll(() => app.close());
beforeEach(() => app.sql('DROP TABLE IF EXISTS loaded'));

async function put(body: string, options: { readonly type?: string; readonly mode?: string } = {}) {
  const { type = 'text/csv', mode = 'replace' } = options;
  const path = `/tables/loaded/rows?mode=${mode}`;
  return app.rest('PUT', path, { key, body, headers: { 'content-type': type } });
}
const append = (body: string) => put(body, { mode: 'append' });
const lines = { type: 'application/x-ndjson' };
const create = (type: string) =>
  app.sql(`CREATE TABLE loaded (v ${type}) ENGINE = MergeTree ORDER BY tuple()`);
const values = (expression = 'v') =>
  app.sql(`SELECT ${expression} FROM loaded ORDER BY rowNumberInAllBlocks() FORMAT TSVRaw`);

describe('numbers of floating point', () => {
  it.each([
    ['Float64', '9007199254740993'],
    ['Float64', '-9007199254740993.0'],
    ['Float64', '0.1234567890123456789'],
    ['Float64', '1.23456789012345678901e5'],
    ['Float64', '1e999'],
    ['Float64', '1e-400'],
    ['Float32', '16777217'],
    ['Float32', '0.1234567891'],
    ['Float32', '1e39'],
    ['Nullable(Float64)', '9007199254740993'],
  ])('are refused for a %s that loses digits: %s', async (type, written) => {
    await create(type);
    for (const [body, options] of [
      [`v\n1\n${written}\n`, {}],
      [`{"v":1}\n{"v":${written}}\n`, lines],
    ] as const) {
      const { status, body: answer } = await put(body, { ...options, mode: 'append' });
      const line = body.startsWith('v') ? 3 : 2;
      expect([status, answer.code]).toEqual([400, 'invalid_input']);
      expect(answer.detail).toBe(
        `The body, line ${line}: the value of v is missing, is not a valid ${type} or has more digits than one keeps.`,
      );
    }
    expect(await values()).toBe('');
  });

  it('are taken with the shortest text of any double, in other texts of it, and as NaN or infinity', async () => {
    await create('Float64');
    const shortest = await app.sql(
      "SELECT arrayStringConcat(groupArray(toString(f)), '\\n') FROM (SELECT reinterpretAsFloat64(sipHash64(number)) AS f FROM numbers(2000) UNION ALL SELECT exp2(number - 1074) FROM numbers(2000)) FORMAT TSVRaw",
    );
    expect((await append(`v\n${shortest.trim()}\n`)).status).toBe(200);
    expect((await values('toString(v)')).split('\n').toSorted()).toEqual(
      shortest.split('\n').toSorted(),
    );
    await app.sql('TRUNCATE TABLE loaded');
    const written = ['0.1', '0.10000000000000001', '1.000000000000000056e-01', '.5', '5.', '+1.50'];
    const whole = ['36028797018963968', '-9007199254740992.000', '1e23', '123456789012345.67'];
    const other = ['nan', '-inf', '0e0', '-0', '0.0000000000000000000000', ' 7 '];
    const all = [...written, ...whole, ...other];
    expect((await append(`v\n${all.join('\n')}\n`)).body).toMatchObject({ rows: all.length });
    const numberOf = (text: string) => (text === '-inf' ? -Infinity : Number(text));
    expect((await values()).trim().split('\n').map(numberOf)).toEqual(all.map(numberOf));
  });

  it('are taken with the shortest text of any Float32', async () => {
    await create('Float32');
    const shortest = await app.sql(
      "SELECT arrayStringConcat(groupArray(toString(reinterpretAsFloat32(toUInt32(sipHash64(number))))), '\\n') FROM numbers(2000) FORMAT TSVRaw",
    );
    expect((await append(`v\n${shortest.trim()}\n16777216\n0.1\n`)).status).toBe(200);
    expect((await values()).trim().split('\n').toSorted()).toEqual(
      [...shortest.trim().split('\n'), '16777216', '0.1'].toSorted(),
    );
  });

  it.each([
    ['1.5e3\n1.23456789012345678901e5', 'String'],
    ['1.5e3\n1.2345678901234567e5', 'Float64'],
    ['0.10000000000000001\n1', 'Float64'],
    ['9007199254740993\n0.5', 'Decimal(38, 1)'],
  ])('of a new table keep their digits: %j', async (rows, type) => {
    const { status, body } = await put(`v\n${rows}\n`);
    expect([status, body.columns]).toEqual([200, [{ name: 'v', type }]]);
  });

  it('do not take the place of booleans', async () => {
    const { body } = await put('{"v":true}\n{"v":1.5}\n', lines);
    expect(body).toMatchObject({ rows: 2, columns: [{ name: 'v', type: 'String' }] });
    expect(await values()).toBe('true\n1.5\n');
  });
});
