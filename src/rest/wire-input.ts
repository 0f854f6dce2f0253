/** Parses a request's inputs, from its body or query string, as the operation declares them. */

import { noVersion } from '../endpoints/version-number.ts';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import { toCamelCase } from '../lib/camel-case.ts';
import { didYouMean } from '../lib/nearest-name.ts';
import { ownValue } from '../lib/own-value.ts';
import type { Input, InputKind, Inputs } from '../openapi/inputs.ts';

type InputSource = 'body member' | 'query parameter';

const kindText: Readonly<Record<Exclude<InputKind, readonly string[]>, string>> = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'an integer of at most 2147483647',
  count: 'an integer',
  version: 'an integer',
  object: 'a JSON object',
  json: 'any JSON value',
  strings: 'an array of strings; in a query string, names separated by commas or a JSON array',
  empty: 'null or empty',
};

/**
 * The members of a JSON body with camelCase names; absent ones stay absent. Throws `invalid_input` for a body that is
 * not an object, an unknown member, one of the wrong kind or out of range, and a missing required one.
 */
export function readBody(body: unknown, inputs: Inputs): Readonly<Record<string, unknown>> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw invalidInput(null, 'The body must be a JSON object.');
  }
  const members = body as Readonly<Record<string, unknown>>;
  const values = acceptedInputs(Object.keys(members), inputs, 'body member').flatMap(
    ([name, input]) => {
      const value = members[name];
      if (value !== null && !isOfKind(value, input.kind)) {
        throw invalidInput(name, wrongKind(name, input));
      }
      if (input.kind === 'empty') return [];
      return [[toCamelCase(name), value === null ? null : toInput(name, value, input)]];
    },
  );
  for (const [name, { required }] of Object.entries(inputs)) {
    if (required !== undefined && (members[name] ?? null) === null)
      throw invalidInput(name, required);
  }
  return Object.fromEntries(values);
}

/** The same for query string parameters, parsed from their texts by kind. */
export function readQuery(
  query: URLSearchParams,
  inputs: Inputs,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    acceptedInputs([...query.keys()], inputs, 'query parameter').map(([name, input]) => {
      if (query.getAll(name).length > 1)
        throw invalidInput(name, `${name} is given more than once.`);
      const value = readText(query.get(name) ?? '', input.kind);
      if (value === undefined) throw invalidInput(name, wrongKind(name, input));
      return [toCamelCase(name), toInput(name, value, input)];
    }),
  );
}

/** Converts a value of the right kind into the operation's input. */
function toInput(name: string, value: unknown, input: Input): unknown {
  if (input.outOfRange !== undefined && !isInRange(Number(value), input))
    throw invalidInput(name, input.outOfRange);
  return input.kind === 'version' ? toVersion(Number(value)) : value;
}

function isInRange(value: number, { schema }: Input): boolean {
  if (schema === null || '$ref' in schema) return true;
  return value >= (schema.minimum ?? value) && value <= (schema.maximum ?? value);
}

/** A number that does not fit GraphQL's 32 bits is no version's. */
function toVersion(value: number): number {
  return isInt32(value) ? value : noVersion;
}

/** Each name with its input. Throws for an input that the operation does not have. */
function acceptedInputs(
  names: readonly string[],
  inputs: Inputs,
  what: InputSource,
): readonly (readonly [string, Input])[] {
  return names.map((name) => {
    const input = ownValue(inputs, name);
    if (input === undefined) throw new UnknownInputError(name, inputs, what);
    return [name, input];
  });
}

/** An input that the operation does not have; in a run it may be a variable's name. */
export class UnknownInputError extends ServiceError {
  readonly input: string;
  readonly isInBody: boolean;

  constructor(name: string, inputs: Inputs, what: InputSource) {
    const accepted = Object.keys(inputs);
    const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
    const takes =
      accepted.length === 0 ? 'None are accepted.' : `Accepted: ${accepted.join(', ')}.`;
    const hint = didYouMean(name, accepted);
    super('invalid_input', `Unknown ${what} "${shown}".${hint} ${takes}`, { attr: shown });
    this.input = name;
    this.isInBody = what === 'body member';
  }
}

function isOfKind(value: unknown, kind: InputKind): boolean {
  if (typeof kind !== 'string') return kind.some((accepted) => accepted === value);
  switch (kind) {
    case 'json':
      return true;
    case 'integer':
      return typeof value === 'number' && isInt32(value);
    case 'count':
    case 'version':
      return typeof value === 'number' && Number.isSafeInteger(value);
    case 'object':
      return typeof value === 'object' && !Array.isArray(value);
    case 'empty':
      return (
        value === false || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
      );
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    default:
      return typeof value === kind;
  }
}

function isInt32(value: number): boolean {
  return (value | 0) === value;
}

/** Undefined when the text is not of that kind. */
function readText(text: string, kind: InputKind): unknown {
  if (typeof kind !== 'string') return kind.find((accepted) => accepted === text);
  if (kind === 'version') return /^-?\d+$/.test(text) ? Number(text) : undefined;
  if (kind === 'integer' || kind === 'count') {
    return /^-?\d{1,16}$/.test(text) && isOfKind(Number(text), kind) ? Number(text) : undefined;
  }
  if (kind === 'boolean') {
    if (text === 'true' || text === 'True' || text === '1') return true;
    return text === 'false' || text === 'False' || text === '0' ? false : undefined;
  }
  return kind === 'strings' ? readStrings(text) : text;
}

/** Comma-separated, or a JSON array for strings that contain commas. */
function readStrings(text: string): readonly string[] | undefined {
  if (!text.startsWith('[')) return text.split(',').map((part) => part.trim());
  try {
    const value: unknown = JSON.parse(text);
    return isOfKind(value, 'strings') ? (value as readonly string[]) : undefined;
  } catch {
    return undefined;
  }
}

function wrongKind(name: string, { kind }: Input): string {
  return `${name} must be ${typeof kind === 'string' ? kindText[kind] : `one of ${kind.join(', ')}`}.`;
}
