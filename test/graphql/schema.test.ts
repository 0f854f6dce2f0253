import { readFileSync } from 'node:fs';
import {
  type IntrospectionQuery,
  introspectionFromSchema,
  lexicographicSortSchema,
  printSchema,
  specifiedScalarTypes,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';

const ofGraphQL: ReadonlySet<string> = new Set(specifiedScalarTypes.map(({ name }) => name));

interface Described {
  readonly name: string;
  readonly description?: string | null | undefined;
}

/** Everything of a schema that introspection shows and GraphQL itself does not define, with its description. */
function descriptionsOf({ __schema }: IntrospectionQuery): Record<string, string | null> {
  const found: Record<string, string | null> = {};
  const note = (name: string, { description }: Described) => {
    found[name] = description ?? null;
  };
  for (const type of __schema.types) {
    if (type.name.startsWith('__') || ofGraphQL.has(type.name)) continue;
    note(type.name, type);
    if (type.kind === 'ENUM')
      for (const value of type.enumValues) note(`${type.name}.${value.name}`, value);
    if (type.kind === 'INPUT_OBJECT')
      for (const field of type.inputFields) note(`${type.name}.${field.name}`, field);
    if (type.kind !== 'OBJECT' && type.kind !== 'INTERFACE') continue;
    for (const field of type.fields) {
      note(`${type.name}.${field.name}`, field);
      for (const arg of field.args) note(`${type.name}.${field.name}(${arg.name})`, arg);
    }
  }
  return found;
}

describe('the schema', () => {
  it('is the one that is committed', () => {
    const committed = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
    expect(committed).toBe(`${printSchema(lexicographicSortSchema(schema))}\n`);
  });

  it('describes every type, field, argument, input and enum value, in sentences', () => {
    const described = Object.entries(descriptionsOf(introspectionFromSchema(schema)));
    const isSentence = (text: string) => /^\S.*[^\s.]\.$/s.test(text) && text.length <= 250;
    const others = described.filter(([, text]) => !isSentence(text ?? ''));
    expect(others).toEqual([]);
    expect(described.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'PageInfo',
        'PageInfo.hasNextPage',
        'EndpointConnection.totalCount',
        'EndpointEdge.cursor',
        'Query.endpoints(first)',
        'RefreshMode.force',
        'RunInput.limit',
      ]),
    );
  });

  it('has the root fields of the contract', () => {
    const names = (type: { getFields(): object } | null | undefined) =>
      Object.keys(type?.getFields() ?? {});
    expect(names(schema.getQueryType())).toEqual(
      expect.arrayContaining([
        'project',
        'endpoint',
        'endpoints',
        'runEndpoint',
        'materializationStatus',
        'queryStatus',
        'lastExecutionTimes',
      ]),
    );
    expect(names(schema.getMutationType())).toEqual(
      expect.arrayContaining(['createEndpoint', 'updateEndpoint', 'deleteEndpoint', 'cancelQuery']),
    );
  });
});
