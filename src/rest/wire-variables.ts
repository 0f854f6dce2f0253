import { invalidInput } from '../errors/service-error.ts';
import { parseJson } from '../lib/parse-json.ts';

const NAMED = /^variables\[([^\][]*)\]$/;

export interface WireVariables {
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** The query string without what belongs to variables. */
  readonly rest: URLSearchParams;
}

/**
 * Splits the variables off a query string: `variables[name]=value`, or all as one JSON object in `variables`. Texts
 * stay texts; the type of each variable decides later how they are read. One that is repeated is a list of its texts,
 * which only the type of a list accepts.
 */
export function takeVariables(query: URLSearchParams): WireVariables {
  const named = new Map<string, unknown>();
  const rest = new URLSearchParams();
  for (const key of new Set(query.keys())) {
    const name = NAMED.exec(key)?.[1];
    const [first = '', ...others] = query.getAll(key);
    if (key === 'variables')
      for (const text of [first, ...others]) addAll(named, parseObject(text));
    else if (name === undefined) for (const text of [first, ...others]) rest.append(key, text);
    else add(named, name, others.length === 0 ? first : [first, ...others]);
  }
  return { variables: named.size === 0 ? undefined : Object.fromEntries(named), rest };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    value = undefined;
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw invalidInput(
    'variables',
    'variables is a JSON object, or give each as variables[name]=value.',
  );
}

function addAll(named: Map<string, unknown>, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) add(named, name, value);
}

function add(named: Map<string, unknown>, name: string, value: unknown): void {
  if (named.has(name))
    throw invalidInput(`variables.${name}`, `The variable ${name} is given twice.`);
  named.set(name, value);
}
