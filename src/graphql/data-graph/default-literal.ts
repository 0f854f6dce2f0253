/** Prints default values of arguments in the GraphQL language. */
import { astFromValue, type GraphQLInputType, print } from 'graphql';
import type { TypeRef } from '../../data-graph/shape.ts';

/** Types whose string values are printed as strings. */
const texts: ReadonlySet<string> = new Set([
  'String',
  'Date',
  'DateTime',
  'Decimal',
  'BigInt',
  'HugeInt',
]);
/** Printable ASCII without characters that need escaping. */
const plainText = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * The literal; null when there is none, including objects, which libraries could read but not print again.
 *
 * @param toType builds the GraphQL type; called only for values that need it.
 */
export function defaultLiteral(
  value: unknown,
  type: TypeRef,
  toType: () => GraphQLInputType,
): string | null {
  if ('name' in type) {
    if (typeof value === 'string' && texts.has(type.name) && plainText.test(value))
      return `"${value}"`;
    if (typeof value === 'number' && type.name === 'Int' && (value | 0) === value)
      return String(value);
    if (typeof value === 'boolean' && type.name === 'Boolean') return String(value);
  }
  try {
    const node = astFromValue(value, toType());
    return node === null || node === undefined ? null : print(node);
  } catch {
    return null;
  }
}
