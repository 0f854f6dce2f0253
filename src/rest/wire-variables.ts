import { invalidInput } from '../errors/service-error.ts';
import { InexactNumberError, parseJson } from '../lib/parse-json.ts';

const NAMED = /^variables\[([^\][]*)\]$/;

export interface WireVariables {
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** The query string without the variables. */
  readonly rest: URLSearchParams;
}

/**
 * Extracts the variables from a query string: `variables[name]=value`, or all as one JSON object in `variables`. Texts
 * stay texts; each variable's type decides later how they are parsed. A repeated variable becomes a list of its texts,
 * which only a list type accepts.
 */
export function takeVariables(query: URLSearchParams): WireVariables {
  const named = new Map<string, unknown>();
  const rest = new URLSearchParams();
  for (const [key, [first = '', ...others]] of byKey(query)) {
    const name = NAMED.exec(key)?.[1];
    if (key === 'variables')
      for (const text of [first, ...others]) addAll(named, parseObject(text));
    else if (name === undefined) for (const text of [first, ...others]) rest.append(key, text);
    else add(named, name, others.length === 0 ? first : [first, ...others]);
  }
  return { variables: named.size === 0 ? undefined : Object.fromEntries(named), rest };
}

/** The values of each key, in one pass: `getAll` for each of them would take quadratic time. */
function byKey(query: URLSearchParams): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [key, text] of query) {
    const texts = found.get(key);
    if (texts === undefined) found.set(key, [text]);
    else texts.push(text);
  }
  return found;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof InexactNumberError) throw invalidInput('variables', error.message);
    value = undefined;
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw invalidInput(
    'variables',
    'variables must be a JSON object; alternatively, give each variable as variables[name]=value.',
  );
}

function addAll(named: Map<string, unknown>, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) add(named, name, value);
}

function add(named: Map<string, unknown>, name: string, value: unknown): void {
  if (named.has(name))
    throw invalidInput(`variables.${name}`, `The variable ${name} is given more than once.`);
  named.set(name, value);
}
