/** A started service with the endpoints that the programs of clients ask for, over no tables. */
import type { TestApp } from '../../support/test-app.ts';
import { openTestApp } from '../../support/test-app.ts';

/** As that of the demo has them, over the same columns and variables. */
const airportDelays = `SELECT toDate('2001-01-01') + number AS day, toUInt64(number * 10) AS flights,
    toUInt64({late_minutes:UInt16}) AS late, if(number = 0, nan, number + 0.5) AS avg_delay
  FROM numbers(5) WHERE {origin:String} != '' ORDER BY day`;

/** Values of many types. Rows of different runs have the same id. */
const topProducts = `SELECT
    toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS id,
    concat('best of ', {country:String}) AS name,
    toDecimal64('1.50', 2) AS price,
    toInt128('170141183460469231731687303715884105727') AS units,
    CAST(('Graz', (47.07, NULL)) AS Tuple(city String, at Tuple(lat Float64, lon Nullable(Float64)))) AS place,
    CAST([('a', 1), ('b', 2)] AS Array(Tuple(code String, amount UInt32))) AS parts,
    map('k', 1) AS extra,
    {codes:Array(String)} AS codes,
    toString({order:Enum8('asc' = 1, 'desc' = 2)}) AS sorted,
    toDateTime64('2001-01-01 00:00:00.5', 3, 'UTC') AS sold_at,
    CAST(NULL AS Nullable(String)) AS note`;

export async function openGraphService(): Promise<TestApp> {
  const test = await openTestApp({ port: 0, publicUrl: '' });
  await test.app.start();
  await save(test, 'airport_delays', airportDelays, {
    origin: { value: 'ORD', description: 'Airport of departure by its IATA code.' },
    late_minutes: { value: 15 },
  });
  await save(test, 'top_products', topProducts, { codes: { value: [] }, order: { value: 'asc' } });
  return test;
}

async function save(test: TestApp, name: string, query: string, variables: object): Promise<void> {
  const body = { name, query: { kind: 'SQLQuery', query, variables } };
  const { status, text } = await test.rest('POST', '/endpoints', { body });
  if (status !== 201) throw new Error(`${name} was not saved: ${text}`);
}
