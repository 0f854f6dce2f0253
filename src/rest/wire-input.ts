import { invalidInput } from '../errors/service-error.ts';

/** What a member of a body, or a parameter of a query string, may hold. */
export type WireKind =
  | 'string'
  | 'boolean'
  /** Of 32 bits, as GraphQL's Int. */
  | 'integer'
  /** Any whole number: one too large for a version names a version that is not there. */
  | 'version'
  /** As far as a double counts. */
  | 'count'
  | 'object'
  | 'json'
  | 'strings'
  | readonly string[];

/** The members that an operation takes: wire name → kind. Every one of them may be null or absent. */
export type WireSpec = Readonly<Record<string, WireKind>>;

const kindWords: Readonly<Record<Exclude<WireKind, readonly string[]>, string>> = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'a whole number of at most 2147483647',
  count: 'a whole number',
  version: 'a whole number',
  object: 'a JSON object',
  json: 'any JSON value',
  strings: 'an array of strings',
};

/**
 * The members of a JSON body, each of its kind and under its name in camelCase; absent ones stay absent.
 * Throws `invalid_input` for a body that is no object, an unknown member, or one of another kind.
 */
export function readBody(body: unknown, spec: WireSpec): Readonly<Record<string, unknown>> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw invalidInput(null, 'The body is a JSON object.');
  }
  const members = Object.entries(body);
  requireKnown(
    members.map(([name]) => name),
    spec,
    'body member',
  );
  return Object.fromEntries(
    members.map(([name, value]) => {
      const kind = spec[name] ?? 'json';
      if (value !== null && !isOfKind(value, kind))
        throw invalidInput(name, `${name} is ${wordsOf(kind)}.`);
      return [toCamelCase(name), kind === 'version' ? toVersion(value) : value];
    }),
  );
}

/** The parameters of a query string in the same way, read from their texts by their kind. */
export function readQuery(
  query: URLSearchParams,
  spec: WireSpec,
): Readonly<Record<string, unknown>> {
  const names = [...query.keys()];
  requireKnown(names, spec, 'query parameter');
  return Object.fromEntries(
    names.map((name) => {
      if (query.getAll(name).length > 1) throw invalidInput(name, `${name} is given twice.`);
      const kind = spec[name] ?? 'string';
      const value = readText(query.get(name) ?? '', kind);
      if (value === undefined) throw invalidInput(name, `${name} is ${wordsOf(kind)}.`);
      return [toCamelCase(name), kind === 'version' ? toVersion(value) : value];
    }),
  );
}

/** Numbers that no version can have become one that GraphQL's 32 bits hold and no version has either. */
function toVersion(value: unknown): unknown {
  return typeof value === 'number' ? Math.max(-1, Math.min(value, 2_147_483_647)) : value;
}

function requireKnown(names: readonly string[], spec: WireSpec, what: string): void {
  const unknown = names.find((name) => !Object.hasOwn(spec, name));
  if (unknown === undefined) return;
  const accepted = Object.keys(spec);
  const shown = unknown.length > 100 ? `${unknown.slice(0, 100)}…` : unknown;
  const takes = accepted.length === 0 ? 'It takes none.' : `It takes ${accepted.join(', ')}.`;
  throw invalidInput(shown, `Unknown ${what} "${shown}". ${takes}`);
}

function isOfKind(value: unknown, kind: WireKind): boolean {
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
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    default:
      return typeof value === kind;
  }
}

function isInt32(value: number): boolean {
  return (value | 0) === value;
}

/** Undefined when the text is not of the kind. */
function readText(text: string, kind: WireKind): unknown {
  if (typeof kind !== 'string') return kind.find((accepted) => accepted === text);
  if (kind === 'version') return /^-?\d+$/.test(text) ? Number(text) : undefined;
  if (kind === 'integer' || kind === 'count') {
    return /^-?\d{1,16}$/.test(text) && isOfKind(Number(text), kind) ? Number(text) : undefined;
  }
  if (kind === 'boolean') {
    if (text === 'true' || text === '1') return true;
    return text === 'false' || text === '0' ? false : undefined;
  }
  return text;
}

function wordsOf(kind: WireKind): string {
  return typeof kind === 'string' ? kindWords[kind] : `one of ${kind.join(', ')}`;
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
