/** What a run gave for its variables, without the values. */

/** No interface, so that it is a JSON value to the compiler. */
export type VariableShape = {
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object';
  /** Characters of a string, items of a list, members of an object. */
  readonly length?: number;
};

/** More variables than this are not recorded. */
const maxShapes = 100;

/** By name, of the variables that the run gave. Values of a query string are strings. */
export function shapesOf(variables: Readonly<Record<string, unknown>>): {
  readonly [name: string]: VariableShape;
} {
  const given = Object.entries(variables).slice(0, maxShapes);
  return Object.fromEntries(given.map(([name, value]) => [name, shapeOf(value)]));
}

function shapeOf(value: unknown): VariableShape {
  if (value === null || value === undefined) return { type: 'null' };
  if (typeof value === 'string') return { type: 'string', length: value.length };
  if (Array.isArray(value)) return { type: 'list', length: value.length };
  if (typeof value === 'object') return { type: 'object', length: Object.keys(value).length };
  return { type: typeof value === 'boolean' ? 'boolean' : 'number' };
}
