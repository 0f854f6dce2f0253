import { buildSchema, lexicographicSortSchema, printSchema, validateSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { GraphShape } from '../../../src/data-graph/shape.ts';
import {
  printShapes,
  tagOfShapes,
} from '../../../src/graphql/data-graph/introspection/schema-text.ts';
import { openShapeTexts } from '../../../src/graphql/data-graph/introspection/shape-texts.ts';
import { schemaOf } from '../../../src/graphql/data-graph/shape-types.ts';
import { manyShapes } from './shapes.ts';

const texts = openShapeTexts(16_777_216);

async function print(shapes: readonly GraphShape[]): Promise<string> {
  return Buffer.concat(await printShapes(texts, shapes)).toString();
}

describe('the text of a data graph', () => {
  it.each([0, 1, 2, 3, 4, 9])('of %i endpoints is what graphql-js prints', async (count) => {
    const shapes = manyShapes(count);
    expect(await print(shapes)).toBe(`${printSchema(schemaOf(shapes))}\n`);
  });

  it('is a valid schema, and reading it loses nothing', async () => {
    const text = await print(manyShapes(8));
    const read = buildSchema(text);
    expect(validateSchema(read)).toEqual([]);
    expect(`${printSchema(read)}\n`).toBe(text);
    const sorted = (shapes: readonly GraphShape[]) =>
      printSchema(lexicographicSortSchema(schemaOf(shapes)));
    expect(printSchema(lexicographicSortSchema(read))).toBe(sorted(manyShapes(8)));
  });

  it.each([
    '',
    ' ',
    'a',
    'ends with "',
    'ends with \\',
    '"""',
    'a\nb',
    '  indented\n  twice',
    '\nleading break',
    'a\r\nb',
    '\u0000',
    'x'.repeat(70),
    'x'.repeat(71),
    `${'y'.repeat(80)} "quoted"`,
    '日本 🛫',
    '# no comment',
  ])('has descriptions like %j', async (description) => {
    const shapes = manyShapes(3).map((shape) => ({
      ...shape,
      description,
      args: shape.args.map((argument) => ({ ...argument, description })),
      id: `${shape.id} ${description}`,
    }));
    const text = await print(shapes);
    expect(text).toBe(`${printSchema(schemaOf(shapes))}\n`);
    expect(`${printSchema(buildSchema(text))}\n`).toBe(text);
  });

  it('has another tag when anything in it is another', () => {
    const [first, ...others] = manyShapes(3);
    if (first === undefined) throw new Error('there are three');
    const tags = [
      [first, ...others],
      [...others, first],
      others,
      [],
      [{ ...first, id: 'another' }, ...others],
      [{ ...first, description: 'Another.' }, ...others],
    ].map(tagOfShapes);
    expect(new Set(tags).size).toBe(tags.length);
    expect(tagOfShapes(manyShapes(3))).toBe(tags[0]);
  });
});
