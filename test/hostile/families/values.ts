/** Values of variables, of every type, on their way into the engine. */
import fc from 'fast-check';
import { family } from '../support/family.ts';
import { legacyName, legacyTypes, typedName, valueTypes } from '../support/saved-endpoints.ts';
import { deepJson, inheritedName, jsonFragment } from '../support/texts.ts';
import { bearer, json, noBody } from '../support/world.ts';

const texts = [
  '',
  "'",
  "''; DROP TABLE sales --",
  '\\',
  "\\'",
  '\\N',
  '\\x00',
  '"',
  '`',
  '\u0000',
  'a\u0000b',
  '\r\n',
  '\t',
  '\b\f\v\u001b',
  '{v:String}',
  '\u0024{v}',
  '%s%n%d',
  "1') OR 1=1 --",
  '/* */',
  '\ud83d\ude00',
  '\u202e\u0301',
  'NULL',
  'nan',
  '-inf',
  'Infinity',
  'true',
  '[1,2',
  "['a','b']",
  '(1,2)',
  '{}',
  '0000-00-00',
  '9999-99-99',
  '1969-12-31',
  '2149-06-07',
  '2300-01-01',
  '2024-02-30',
  '1900-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '2001-01-01T00:00:00.0000000000000001Z',
  '2001-01-01T25:61:61+99:99',
  '256.0.0.1',
  '::ffff:1.2.3.4::',
  'fe80::1%eth0',
  '00000000-0000-0000-0000-00000000000g',
  '1e400',
  '0x1F',
  '1_0',
  ' 1 ',
  '１',
  '1'.repeat(100),
  `0.${'0'.repeat(400)}1`,
  `1e${'9'.repeat(50)}`,
] as const;

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom("'", '\\', '"', '\u0000', '\n', '{', '}'), maxLength: 20 }),
);

/** As JSON text, since no JavaScript value can say all of it. */
const value: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: text.map((t) => JSON.stringify(t)) },
  { weight: 3, arbitrary: jsonFragment },
  { weight: 1, arbitrary: deepJson },
  fc.array(text, { maxLength: 5 }).map((all) => JSON.stringify(all)),
  fc
    .dictionary(fc.oneof(text, inheritedName), text, { maxKeys: 3 })
    .map((all) => JSON.stringify(all)),
  fc.tuple(text, fc.integer()).map((pair) => JSON.stringify(pair)),
);

const names = [
  ...valueTypes.map((_type, at) => typedName(at)),
  ...legacyTypes.map(legacyName),
] as const;

export const values = family(
  'values',
  () => fc.record({ name: fc.constantFrom(...names), text: value }),
  async (world, { name, text: given }) => {
    await world.ask({
      method: 'POST',
      target: `/api/projects/${world.own.projectId}/endpoints/${name}/run`,
      headers: [bearer(world.own.readKey), json],
      body: Buffer.from(`{"variables":{"v":${given}},"refresh":"force"}`),
    });
  },
);

export const valuesOfQueryStrings = family(
  'values of query strings',
  () =>
    fc.record({
      name: fc.constantFrom(...names),
      text: fc.oneof(text, value),
      spelling: fc.constantFrom('variables[v]', 'variables%5Bv%5D', 'variables'),
    }),
  async (world, { name, text: given, spelling }) => {
    const encoded = encodeURIComponent(given.toWellFormed().slice(0, 15_000));
    const search =
      spelling === 'variables' ? `?variables=%7B%22v%22:${encoded}%7D` : `?${spelling}=${encoded}`;
    await world.ask({
      method: 'GET',
      target: `/api/environments/${world.own.projectId}/endpoints/${name}/run${search}`,
      headers: [bearer(world.own.readKey)],
      body: noBody,
    });
  },
);

export const valuesByGraphQL = family(
  'values by GraphQL',
  () =>
    fc.record({
      name: fc.constantFrom(...names),
      text: value,
      inDocument: fc.boolean(),
      literal: fc.oneof(
        text.map((t) => JSON.stringify(t)),
        fc.constantFrom(
          '1e999',
          '-0',
          '{a:[1,{b:null}]}',
          '[]',
          'ENUM',
          '"""x"""',
          '9'.repeat(400),
        ),
      ),
    }),
  async (world, { name, text: given, inDocument, literal }) => {
    const variables = inDocument ? `{v: ${literal}}` : '$v';
    const query = `query ($v: JSON) { runEndpoint(projectId: "@current", name: "${name}", input: {refresh: force, variables: ${variables}}) { results } }`;
    await world.ask({
      method: 'POST',
      target: '/graphql',
      headers: [bearer(world.own.readKey), json],
      body: Buffer.from(`{"query":${JSON.stringify(query)},"variables":{"v":{"v":${given}}}}`),
    });
  },
);

/** What is larger than any address, buffer or stack that it could be put into. */
const huge: Readonly<Record<string, () => string>> = {
  'a text of 10 MB': () => JSON.stringify('x'.repeat(10_000_000)),
  'a text of 3 MB of quotes': () => JSON.stringify("'".repeat(3_000_000)),
  'a text of 2 MB of backslashes': () => JSON.stringify('\\'.repeat(2_000_000)),
  'a text of 1 MB of NUL': () => JSON.stringify('\u0000'.repeat(1_000_000)),
  'digits of 5 MB': () => '1'.repeat(5_000_000),
  'a text of 5 MB of digits': () => JSON.stringify('1'.repeat(5_000_000)),
  'digits behind a point': () => JSON.stringify(`0.${'1'.repeat(5_000_000)}`),
  '100,000 numbers': () => `[${'1,'.repeat(100_000)}1]`,
  '100,000 texts': () => `[${'"it\'s",'.repeat(100_000)}"x"]`,
  '100,000 lists': () => `[${'[],'.repeat(100_000)}[]]`,
  '100,000 members': () =>
    `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
  '100,000 times the same member': () => `{${'"a":1,'.repeat(100_000)}"a":2}`,
  '1,000,000 commas': () => JSON.stringify(','.repeat(1_000_000)),
};

/** Few, since each takes a while. */
export const hugeValues = family(
  'huge values',
  () => fc.record({ name: fc.constantFrom(...names), what: fc.constantFrom(...Object.keys(huge)) }),
  async (world, { name, what }) => {
    const given = huge[what]?.() ?? 'null';
    await world.ask({
      method: 'POST',
      target: `/api/projects/${world.own.projectId}/endpoints/${name}/run`,
      headers: [bearer(world.own.readKey), json],
      body: Buffer.from(`{"variables":{"v":${given}},"refresh":"force"}`),
    });
  },
);
