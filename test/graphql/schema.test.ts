import { readFileSync } from 'node:fs';
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';

/** What the Relay specification defines; its words are the library's. */
const relay = /(Connection|Edge)$|^PageInfo$/;

describe('the schema', () => {
  it('is the one that is committed', () => {
    const committed = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
    expect(committed).toBe(`${printSchema(lexicographicSortSchema(schema))}\n`);
  });

  it('describes every type, field and argument', () => {
    const silent: string[] = [];
    for (const type of Object.values(schema.getTypeMap())) {
      if (
        type.name.startsWith('__') ||
        ['String', 'Int', 'Float', 'Boolean', 'ID'].includes(type.name)
      )
        continue;
      if (relay.test(type.name)) continue;
      if (!type.description) silent.push(type.name);
      if (isEnumType(type)) continue;
      if (!(isObjectType(type) || isInputObjectType(type) || isInterfaceType(type))) continue;
      for (const field of Object.values(type.getFields())) {
        if (!field.description) silent.push(`${type.name}.${field.name}`);
        for (const arg of 'args' in field ? field.args : []) {
          if (!arg.description && !['first', 'last', 'before', 'after'].includes(arg.name)) {
            silent.push(`${type.name}.${field.name}(${arg.name})`);
          }
        }
      }
    }
    expect(silent).toEqual([]);
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
