import { describe, expect, it } from 'vitest';
import { resultSchema } from '../../src/openapi/json-schema-of-type.ts';
import { variableSchema } from '../../src/openapi/json-schema-of-variable.ts';
import { variableParameter } from '../../src/openapi/variable-parameter.ts';
import { optional, schemaByType, variable } from './samples.ts';

describe('the schema of a result value', () => {
  it.each(Object.entries(schemaByType))('%s', (type, schema) => {
    expect(resultSchema(type)).toEqual(schema);
  });

  it('allows digits for 64-bit integers alone, at every depth', () => {
    const digits = { type: 'string', pattern: '^-?[0-9]+$' };
    const either = { anyOf: [{ type: 'integer', format: 'int64' }, digits] };
    const schemaOf = (type: string) => resultSchema(type, 'number or string');
    expect(schemaOf('Int64')).toEqual(either);
    expect(schemaOf('LowCardinality(Int64)')).toEqual(either);
    expect(schemaOf('Map(String, Array(Int64))')).toEqual({
      type: 'object',
      additionalProperties: { type: 'array', items: either },
    });
    expect(schemaOf('Nullable(Int64)').anyOf).toEqual(
      either.anyOf.map((form) => ({ ...form, nullable: true })),
    );
    for (const type of ['UInt32', 'Int128', 'Array(UInt8)', 'Map(String, UInt32)', 'Point'])
      expect(schemaOf(type)).toEqual(resultSchema(type));
  });
});

describe('the schema of a variable', () => {
  it.each([
    ['Int32', { type: 'integer', format: 'int32' }],
    ['Float64', { type: 'number' }],
    ['Bool', { type: 'boolean' }],
    ['String', { type: 'string' }],
    ['Number', { type: 'number' }],
    ['Boolean', { type: 'boolean' }],
    ['List', { type: 'array', items: { type: 'string' } }],
    ['Date', { type: 'string', format: 'date' }],
    ['DateTime', { type: 'string', format: 'date-time' }],
    ['Nullable(String)', { type: 'string', nullable: true }],
    ['Array(UInt8)', { type: 'array', items: { type: 'integer', format: 'int32' } }],
  ])('%s', (type, schema) => {
    expect(variableSchema(variable('x', type))).toMatchObject(schema);
  });

  it.each(['Int64', 'UInt64', 'Int128', 'UInt256', 'Decimal(38, 10)'])(
    'takes text as well for %s, so that no digit is lost',
    (type) => {
      const types = (variableSchema(variable('x', type)).anyOf ?? []).map(
        (s) => 'type' in s && s.type,
      );
      expect(types).toContain('string');
      expect(types.some((t) => t === 'integer' || t === 'number')).toBe(true);
    },
  );

  it.each([
    ['String', 'GB', 'GB'],
    ['String', 5, '5'],
    ['Number', '10', 10],
    ['Number', 2.5, 2.5],
    ['Boolean', 'true', true],
    ['List', 'a,b', ['a', 'b']],
    ['List', [1, 'b'], ['1', 'b']],
    ['Date', '2001-01-01', '2001-01-01'],
    ['UInt8', '7', 7],
    ['Int64', '9007199254740993', '9007199254740993'],
    ['Int64', 5, 5],
    ['Array(UInt8)', ['1', 2], [1, 2]],
    ["Enum8('a' = 1)", 'a', 'a'],
    ['Map(String, UInt8)', { a: 1 }, { a: 1 }],
    ['Number', null, null],
    ['Nullable(Int64)', null, null],
  ])('%s has the default %j as %j', (type, value, stated) => {
    expect(variableSchema(optional('x', type, value))).toHaveProperty('default', stated);
  });

  it('allows null where null is the default', () => {
    expect(variableSchema(optional('x', 'Number', null))).toMatchObject({ nullable: true });
    expect(variableSchema(optional('x', 'Number', 1))).not.toHaveProperty('nullable');
  });

  it('leaves out a default that the stated type cannot hold exactly', () => {
    expect(variableSchema(optional('x', 'Number', '9007199254740993'))).not.toHaveProperty(
      'default',
    );
    expect(variableSchema(optional('x', 'Boolean', 'perhaps'))).not.toHaveProperty('default');
  });

  it('states a time as a time where the default of a date is one', () => {
    const schema = variableSchema(optional('x', 'Date', '2001-01-01T00:00:00Z'));
    expect(schema).toMatchObject({ format: 'date-time', default: '2001-01-01T00:00:00Z' });
  });

  it('keeps the author’s description, or names the type', () => {
    expect(variableSchema(variable('x', 'Int8', { description: 'How many.' }))).toMatchObject({
      description: 'How many.',
    });
    expect(variableSchema(variable('x', 'Int8')).description).toContain('Int8');
  });
});

describe('the schema of a variable in a query string', () => {
  it('is the same for a scalar', () => {
    const limit = optional('x', 'UInt8', 3);
    const { schema, description } = variableParameter(limit);
    expect({ ...schema, description }).toEqual(variableSchema(limit));
  });

  it.each([
    ['List', ['a'], '["a"]'],
    ['Map(String, UInt8)', { a: 1 }, '{"a":1}'],
    ['Tuple(a Int64, b String)', [1, 'b'], '[1,"b"]'],
  ])('is one text for %s', (type, value, stated) => {
    expect(variableParameter(optional('x', type, value)).schema).toMatchObject({
      type: 'string',
      default: stated,
    });
  });
});
