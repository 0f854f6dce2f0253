import { buildSchema, execute, type GraphQLResolveInfo, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { GatewayContext } from '../../src/graphql/context.ts';
import { prepareDocuments } from '../../src/graphql/prepared-documents.ts';

const schema = buildSchema(`
  scalar Any
  type Item { id: ID! at(unit: String = "s"): String!, any: Any, inner: [Item], later: Item, path: String! }
  type Query { items(first: Int!): [Item!]! none: Item wrong: Item! broken: String, slow: String }
  type Mutation { add(n: Int!): [Int!]! }
`);

const added: number[] = [];
const item = (id: number) => ({ id, any: JSON.parse(`{"then":${id}}`) });
const later = <T>(value: T) => new Promise<T>((done) => setImmediate(done, value));

/** Each resolver as a field of the schema has it. */
const resolvers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Query: {
    items: (_root: unknown, { first }: { first: number }) =>
      later(Array.from({ length: first }, (_, id) => (id % 2 === 0 ? item(id) : later(item(id))))),
    none: () => null,
    wrong: () => undefined,
    broken: () => {
      throw new RangeError('broken');
    },
    slow: () => later('slow').then(() => Promise.reject(new Error('late'))),
  },
  Item: {
    at: ({ id }: { id: number }, { unit }: { unit: string }) => `${id}${unit}`,
    inner: ({ id }: { id: number }) => (id === 0 ? [item(7), null] : null),
    later: ({ id }: { id: number }) => later(item(id + 10)),
    path: (_item: unknown, _args: unknown, _context: unknown, { path }: GraphQLResolveInfo) =>
      JSON.stringify(path),
  },
  Mutation: {
    add: async (_root: unknown, { n }: { n: number }) => {
      await later(null);
      added.push(n);
      return [...added];
    },
  },
};
for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getType('Item')]) {
  if (!type || !('getFields' in type)) continue;
  for (const [name, field] of Object.entries(type.getFields()))
    Object.assign(field, { resolve: resolvers[type.name]?.[name] });
}

const context = {} as GatewayContext;
const run = (text: string, variables = {}) =>
  prepareDocuments(schema, { it: text }).run('it', variables, context);

describe('a document known at startup has the result of the library', () => {
  it.each([
    ['lists of promises, and values within them', '{ items(first: 3) { id at any } none { id } }'],
    ['objects within objects', '{ items(first: 2) { inner { id inner { id } } later { id } } }'],
    ['paths of fields', '{ items(first: 2) { inner { p: path } later { path } } none { id } }'],
    [
      'aliases, fragments and a key that is selected twice',
      '{ a: items(first: 1) { ...F later { id } } b: items(first: 1) { ...F } } fragment F on Item { x: at(unit: "m") later { at } }',
    ],
    [
      'variables and conditions',
      'query Q($n: Int!, $unit: String, $no: Boolean = false) { items(first: $n) { at(unit: $unit) id @include(if: $no) any @skip(if: $no) } }',
    ],
  ])('%s', async (_name, text) => {
    const variableValues = { n: 2, unit: 'h' };
    const { data } = await execute({ schema, document: parse(text), variableValues });
    expect(JSON.stringify(await run(text, variableValues))).toBe(JSON.stringify(data));
  });

  it('executes mutations one after the other', async () => {
    const text = 'mutation { a: add(n: 1) b: add(n: 2) }';
    expect(await run(text)).toEqual({ a: [1], b: [1, 2] });
  });
});

describe('a failure is thrown as the field threw it', () => {
  it.each([
    ['{ items(first: 1) { id } broken slow }', new RangeError('broken')],
    ['{ slow }', new Error('late')],
    ['{ wrong { id } }', new Error('Query.wrong returned null')],
  ])('%s', async (text, error) => {
    await expect(run(text)).rejects.toEqual(error);
  });

  it('names a variable that does not fit', async () => {
    const refused = run('query Q($maxRows: Int!) { items(first: $maxRows) { id } }', {
      maxRows: 2 ** 31,
    });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input', attr: 'max_rows' });
  });
});
