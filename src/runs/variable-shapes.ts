/** What a run passed for its variables: types and lengths, and values where the project records them. */
import { redactKeys } from '../errors/redact-keys.ts';

/** A type, not an interface, so that the compiler accepts it as a JSON value. */
type VariableShape = {
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object';
  /** Characters of a string, items of a list, members of an object. */
  readonly length?: number;
  /** A string as given, anything else as JSON with every digit. Absent when it is too long, or may contain a key. */
  readonly value?: string;
};

/** By name. */
export type VariableShapes = { readonly [name: string]: VariableShape };

/** More variables than this are not recorded. */
const maxShapes = 100;
/** A longer value is not recorded. */
const maxValueLength = 256;
/** Limit for all values of a run together. */
const maxValuesLength = 4096;

/** Shapes of the variables that the run passed. Values of a query string are strings. */
export function shapesOf(
  variables: Readonly<Record<string, unknown>>,
  recordsValues: boolean,
): VariableShapes {
  let left = recordsValues ? maxValuesLength : 0;
  const given = Object.entries(variables).slice(0, maxShapes);
  return Object.fromEntries(
    given.map(([name, value]) => {
      const shape = shapeOf(value);
      const text = recordsValues ? recordable(value) : null;
      if (text === null || text.length > left) return [name, shape];
      left -= text.length;
      return [name, { ...shape, value: text }];
    }),
  );
}

/** For callers without the right to read values, and for projects that no longer record them. */
export function withoutValues(variables: unknown): unknown {
  if (variables === null || typeof variables !== 'object') return variables;
  const shapes = Object.entries(variables as VariableShapes);
  return Object.fromEntries(
    shapes.map(([name, { type, length }]) => [
      name,
      length === undefined ? { type } : { type, length },
    ]),
  );
}

function shapeOf(value: unknown): VariableShape {
  if (value === null || value === undefined) return { type: 'null' };
  if (typeof value === 'string') return { type: 'string', length: value.length };
  if (Array.isArray(value)) return { type: 'list', length: value.length };
  if (typeof value === 'object') return { type: 'object', length: Object.keys(value).length };
  return { type: typeof value === 'boolean' ? 'boolean' : 'number' };
}

/** Null for what PostgreSQL cannot store, what is too long, and what looks like a key. */
function recordable(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const isLong = typeof value === 'string' && value.length > maxValueLength;
  const text = isLong ? '' : typeof value === 'string' ? value : toJson(value);
  if (isLong || text.length > maxValueLength) return null;
  if (text.includes('\u0000') || !text.isWellFormed()) return null;
  return redactKeys(text) === text ? text : null;
}

/** JSON that keeps every digit of whole numbers. */
function toJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${toJson(member)}`,
  );
  return `{${members.join(',')}}`;
}
