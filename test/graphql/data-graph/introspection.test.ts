import {
  buildClientSchema,
  execute,
  type GraphQLObjectType,
  getIntrospectionQuery,
  getNamedType,
  getOperationAST,
  getVariableValues,
  type IntrospectionQuery,
  isLeafType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import type { GraphShape } from '../../../src/data-graph/shape.ts';
import { openIntrospection } from '../../../src/graphql/data-graph/introspection/introspection.ts';
import { openShapeTexts } from '../../../src/graphql/data-graph/introspection/shape-texts.ts';
import { schemaOf } from '../../../src/graphql/data-graph/shape-types.ts';
import { fragmentsOf } from '../../../src/graphql/fragments-of.ts';
import { manyShapes } from './shapes.ts';

const maxBytes = 16_777_216;
const introspection = openIntrospection(openShapeTexts(maxBytes));

/** The answer of a document whose root fields are introspection, put together from texts. */
async function answer(
  text: string,
  shapes: readonly GraphShape[],
  {
    variables = {},
    by = introspection,
  }: { variables?: Record<string, unknown>; by?: typeof introspection } = {},
): Promise<string> {
  const schema = schemaOf(shapes);
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const operation = getOperationAST(document);
  const { coerced } = getVariableValues(schema, operation?.variableDefinitions ?? [], variables);
  const fields = (operation?.selectionSet.selections ?? []).filter(
    (one) => one.kind === Kind.FIELD,
  );
  const values = fields.map(async (node) => {
    const field = { nodes: [node], fragments: fragmentsOf(document), values: coerced ?? {} };
    const ask = node.name.value === '__schema' ? by.schema : by.type;
    const value = Buffer.concat(await ask(field, shapes)).toString();
    return `${JSON.stringify(node.alias?.value ?? node.name.value)}:${value}`;
  });
  return `{"data":{${(await Promise.all(values)).join(',')}}}`;
}

async function expected(
  text: string,
  shapes: readonly GraphShape[],
  variableValues: Record<string, unknown> = {},
): Promise<string> {
  const document = parse(text);
  return JSON.stringify(await execute({ schema: schemaOf(shapes), document, variableValues }));
}

const options = [
  'descriptions',
  'specifiedByUrl',
  'directiveIsRepeatable',
  'schemaDescription',
  'inputValueDeprecation',
  'oneOf',
] as const;

const standard = getIntrospectionQuery(Object.fromEntries(options.map((option) => [option, true])));

describe('__schema', () => {
  it.each(Array.from({ length: 2 ** options.length }, (_, bits) => bits))(
    'is what graphql-js answers to its own question with options %i, byte for byte',
    async (bits) => {
      const chosen = options.map((option, at) => [option, (bits & (2 ** at)) !== 0] as const);
      const text = getIntrospectionQuery(Object.fromEntries(chosen));
      const shapes = manyShapes(5);
      expect(await answer(text, shapes)).toBe(await expected(text, shapes));
    },
  );

  it.each([0, 1, 2, 3, 4, 9])('is that of a project of %i endpoints', async (count) => {
    const shapes = manyShapes(count);
    expect(await answer(standard, shapes)).toBe(await expected(standard, shapes));
  });

  it('has every member of every meta type, with and without what is deprecated', async () => {
    const shapes = manyShapes(4);
    for (const deprecated of ['', '(includeDeprecated: true)', '(includeDeprecated: false)']) {
      const text = `{ __schema ${everyMember(deprecated)} }`;
      expect(await answer(text, shapes)).toBe(await expected(text, shapes));
    }
  });

  it.each([
    ['a name alone', '{ __schema { queryType { name } } }'],
    ['no gap at all', '{ __schema { directives { name } mutationType { name } description } }'],
    [
      'aliases',
      '{ a: __schema { t: types { n: name f: fields { n: name } g: fields { t: type { name } } } } b: __schema { __typename q: queryType { k: kind __typename fields { name } } } }',
    ],
    [
      'fields named twice',
      '{ __schema { types { name } types { kind name } queryType { fields { name } fields { args { name } } } } }',
    ],
    [
      'nested fragments',
      '{ __schema { ...S } } fragment S on __Schema { types { ...T ... on __Type { kind } ... { name } } ...S2 } fragment S2 on __Schema { types { ...T enumValues { name } } } fragment T on __Type { ofType { name } inputFields { name type { ...U } } } fragment U on __Type { name ofType { name ofType { name fields { name } } } }',
    ],
    [
      'types of types',
      '{ __schema { queryType { fields { type { fields { name type { name ofType { ofType { ofType { name description } } } } } } } } } }',
    ],
    [
      'the Relay compiler',
      '{ __schema { types { kind name possibleTypes { name } interfaces { name } fields(includeDeprecated: true) { name type { kind name ofType { kind name } } } } } }',
    ],
  ])('answers %s', async (_name, text) => {
    const shapes = manyShapes(5);
    expect(await answer(text, shapes)).toBe(await expected(text, shapes));
  });

  it.each([
    { a: true, b: true },
    { a: true, b: false },
    { a: false, b: true },
    { a: false, b: false },
  ])('obeys @skip, @include and variables: %j', async (variables) => {
    const text = `query ($a: Boolean!, $b: Boolean!) {
      __schema {
        types { name @skip(if: $a) kind fields(includeDeprecated: $b) @include(if: $b) { name } ... @skip(if: $b) { description } }
        queryType { ...Q @include(if: $a) name }
        directives @skip(if: $a) @include(if: $b) { args(includeDeprecated: $a) { name } }
      }
    }
    fragment Q on __Type { fields { name args @skip(if: $b) { name } } }`;
    const shapes = manyShapes(4);
    const options = { variables };
    expect(await answer(text, shapes, options)).toBe(await expected(text, shapes, variables));
  });

  it('is read by clients as the schema that it is', async () => {
    const shapes = manyShapes(8);
    const { data } = JSON.parse(await answer(standard, shapes)) as { data: IntrospectionQuery };
    const client = lexicographicSortSchema(buildClientSchema(data));
    expect(printSchema(client)).toBe(printSchema(lexicographicSortSchema(schemaOf(shapes))));
  });

  it('tells of one endpoint that changed, in the text alone too', async () => {
    const before = manyShapes(4);
    await answer(standard, before);
    const [first, second, ...others] = before;
    if (first === undefined || second === undefined) throw new Error('there are four');
    const column = {
      name: 'added',
      source: 'added',
      engineType: 'UInt8',
      type: { name: 'Int', nonNull: true },
    };
    const changed = { ...first, id: 'changed', columns: [...first.columns, column] };
    const after = [changed, { ...second, description: 'Said otherwise.' }, ...others];
    expect(await answer(standard, after)).toBe(await expected(standard, after));
    expect(await answer(standard, before)).toBe(await expected(standard, before));
  });

  it('is complete when its texts are larger than the memory for them', async () => {
    const texts = openShapeTexts(20_000);
    const by = openIntrospection(texts);
    const shapes = manyShapes(40);
    const [one, other] = await Promise.all([
      answer(standard, shapes, { by }),
      answer(standard, shapes, { by }),
    ]);
    expect(one).toBe(await expected(standard, shapes));
    expect(other).toBe(one);
    expect(texts.size()).toBeLessThanOrEqual(20_000);
  });
});

describe('__type', () => {
  const shapes = manyShapes(9);

  it('answers for each type of the graph', async () => {
    for (const name of Object.keys(schemaOf(shapes).getTypeMap())) {
      const text = `{ __type(name: "${name}") ${everyTypeMember('(includeDeprecated: true)')} }`;
      expect(await answer(text, shapes), name).toBe(await expected(text, shapes));
    }
  });

  it('is null for a name that no type has', async () => {
    for (const name of [
      '',
      'Nothing',
      'DelaysRunX',
      'Mutation',
      'delays',
      'toString',
      '__proto__',
    ]) {
      const text = `{ __type(name: ${JSON.stringify(name)}) { name } }`;
      expect(await answer(text, shapes)).toBe('{"data":{"__type":null}}');
    }
  });

  it('takes its name from a variable, and stands beside others', async () => {
    const text =
      'query ($name: String!) { a: __type(name: $name) { name kind fields { name } } b: __type(name: "Query") { fields { name } } __schema { queryType { name } } }';
    const variables = { name: 'DelaysRow' };
    expect(await answer(text, shapes, { variables })).toBe(await expected(text, shapes, variables));
  });

  it('is the placeholder in a project without endpoints', async () => {
    const text = '{ __type(name: "Query") { name fields { name type { name } } } }';
    expect(await answer(text, [])).toBe(await expected(text, []));
  });
});

/** All members of the meta type, and of those within it to a depth. */
function members(type: GraphQLObjectType, deprecated: string, depth: number): string {
  const all = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    const args = field.args.some(({ name }) => name === 'includeDeprecated') ? deprecated : '';
    if (isLeafType(inner)) return [field.name + args];
    if (!isObjectType(inner) || depth === 0) return [];
    return [`${field.name}${args} ${members(inner, deprecated, depth - 1)}`];
  });
  return `{ __typename ${all.join(' ')} }`;
}

function metaType(name: string): GraphQLObjectType {
  const type = schemaOf([]).getType(name);
  if (!isObjectType(type)) throw new Error(`no ${name}`);
  return type;
}

const everyMember = (deprecated: string): string => members(metaType('__Schema'), deprecated, 3);
const everyTypeMember = (deprecated: string): string => members(metaType('__Type'), deprecated, 2);
