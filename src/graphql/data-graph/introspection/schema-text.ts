/** A data graph in the GraphQL language, assembled from the texts of its shapes. */
import { createHash } from 'node:crypto';
import { isSpecifiedScalarType, printType } from 'graphql';
import type { GraphShape } from '../../../data-graph/shape.ts';
import { type RootName, staticTypes } from '../static-types.ts';
import { describeShape } from './describe-shape.ts';
import { joinTexts, type Place } from './join-texts.ts';
import { printField, printMetaType } from './print-meta.ts';
import { digestOf, type ShapeTexts, type ShapeWriting } from './shape-texts.ts';
import { emptyRoot, requireObject } from './static-meta.ts';

/** Prints exactly what graphql-js's `printSchema` prints for `schemaOf(shapes)`, plus a line break; in pieces. */
export async function printShapes(
  texts: ShapeTexts,
  shapes: readonly GraphShape[],
): Promise<readonly Buffer[]> {
  return joinTexts(parts, await texts.of(writing, shapes));
}

/** Equal tags mean equal texts; a strong ETag, without its quotes. */
export function tagOfShapes(shapes: readonly GraphShape[]): string {
  return `${headDigest}-${digestOf(shapes)}`;
}

const writing: ShapeWriting = {
  id: 'text',
  write: (shape) => {
    const { field, types } = describeShape(shape);
    const text = types.map((type) => `\n\n${printMetaType(type)}`).join('');
    return [printField(field, false), text];
  },
};

const head = [
  ...staticTypes.filter((type) => !isSpecifiedScalarType(type)).map(printType),
  rootHead('Query'),
].join('\n\n');

const headDigest = createHash('sha256')
  .update(head)
  .update(rootHead('Subscription'))
  .digest('base64url')
  .slice(0, 8);

/** A root type up to its fields. */
function rootHead(name: RootName): string {
  const printed = printType(requireObject(name));
  return printed.slice(0, printed.lastIndexOf('{\n') + 2);
}

const rootFields: Place = {
  separator: '\n',
  empty: (emptyRoot('Query').fields ?? []).map((field) => printField(field, true)).join('\n'),
  isBlock: true,
};

const parts: readonly (string | Place)[] = [
  head,
  rootFields,
  '\n}',
  { separator: '', empty: '' },
  `\n\n${rootHead('Subscription')}`,
  rootFields,
  '\n}\n',
];
