/**
 * Values of the engine's typed parameters: a caller's JSON value becomes the text that the engine parses for the type,
 * exact to the last digit, or is refused with a sentence that describes valid values.
 *
 * The engine clamps dates and wraps integers that are out of range (`256` as UInt8 is 0), so ranges are checked here.
 * The text is escaped for the engine; the driver sends it unchanged.
 */
import { invalidInput } from '../errors/service-error.ts';
import { parseJson } from '../lib/parse-json.ts';
import {
  type ClickHouseType,
  elementTypes,
  enumMembers,
  innerType,
  isNullable,
  parseClickHouseType,
  typeToText,
  unquote,
} from './clickhouse-type.ts';
import { isBare, ParamRefusal, scalarText } from './param-scalar.ts';

/** NULL as a parameter value. No other value has this spelling, because texts escape the backslash. */
export const nullText = '\\N';

/**
 * @param attr the path of the input, for the error (`variables.country`).
 * @throws ServiceError `invalid_input` naming `attr` and the values that the type accepts.
 */
export function formatParam(type: string, value: unknown, attr: string | null = null): string {
  const tree = parseClickHouseType(type);
  try {
    return valueText(tree, value, false);
  } catch (error) {
    if (error instanceof ParamRefusal) {
      throw invalidInput(attr, `${attr ?? 'The value'} ${error.message}`);
    }
    throw error;
  }
}

/** Values of String parameters. */
export function formatTexts(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, formatParam('String', text)]),
  );
}

/** @param isNested inside an array, a tuple or a map, where texts are quoted as in SQL. */
function valueText(type: ClickHouseType, value: unknown, isNested: boolean): string {
  if (value === null || value === undefined) {
    if (isNullable(type)) return isNested ? 'NULL' : nullText;
    if (isNested)
      throw new ParamRefusal(`must not have null within it: ${typeToText(type)} cannot be null.`);
    throw new ParamRefusal(`must be ${typeToText(type)}, which cannot be null.`);
  }
  if (type.name === 'LowCardinality') return valueText(innerType(type), value, isNested);
  if (type.name === 'Nullable') return orNull(() => valueText(innerType(type), value, isNested));
  if (type.name === 'Array' || type.name === 'Nested') return arrayText(type, value);
  if (type.name === 'Tuple') return tupleText(type, value);
  if (type.name === 'Map') return mapText(type, value);
  const text = scalarText(type, value);
  if (!isNested) return escapeTabSeparated(text);
  return isBare(type) ? text : quote(text);
}

/** Says that NULL is accepted, too. */
function orNull(toText: () => string): string {
  try {
    return toText();
  } catch (error) {
    if (!(error instanceof ParamRefusal) || !error.message.startsWith('must be ')) throw error;
    throw new ParamRefusal(`${error.message.slice(0, -1)}, or null.`);
  }
}

function nestedText(type: ClickHouseType, value: unknown): string {
  return valueText(type, value, true);
}

function arrayText(type: ClickHouseType, value: unknown): string {
  const element = type.name === 'Nested' ? { ...type, name: 'Tuple' } : innerType(type);
  if (!Array.isArray(value)) {
    throw new ParamRefusal(`must be a list of ${typeToText(element)} values.`);
  }
  return `[${value.map((item: unknown) => nestedText(element, item)).join(',')}]`;
}

function tupleText(type: ClickHouseType, value: unknown): string {
  const types = elementTypes(type);
  const items = Array.isArray(value) ? (value as readonly unknown[]) : byLabel(type, value);
  if (items === null || items.length !== types.length) {
    const labels = labelsOf(type);
    const orObject = labels.includes(null) ? '' : `, or an object {${labels.join(', ')}}`;
    throw new ParamRefusal(
      `must be a list of ${types.length} values, one for each element of ${typeToText(type)}${orObject}.`,
    );
  }
  return `(${types.map((element, i) => nestedText(element, items[i])).join(',')})`;
}

/** An object's members in the order of a tuple's labels; null when the names differ. */
function byLabel(type: ClickHouseType, value: unknown): readonly unknown[] | null {
  if (value === null || typeof value !== 'object') return null;
  const labels = labelsOf(type);
  const members = new Map(Object.entries(value));
  if (labels.length !== members.size) return null;
  if (!labels.every((label) => label !== null && members.has(label))) return null;
  return labels.map((label) => members.get(label ?? ''));
}

/** The names of a tuple's elements; null for those without one. */
function labelsOf(type: ClickHouseType): readonly (string | null)[] {
  return (type.args ?? []).map(({ label }) => (label === null ? null : unquote(label)));
}

function mapText(type: ClickHouseType, value: unknown): string {
  const [key, item] = elementTypes(type);
  if (value === null || typeof value !== 'object' || Array.isArray(value) || !key || !item) {
    throw new ParamRefusal(`must be an object whose members match ${typeToText(type)}.`);
  }
  // A document of GraphQL may omit the variable of a member.
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${nestedText(key, name)}:${nestedText(item, member)}`);
  return `{${entries.join(',')}}`;
}

const tabSeparatedEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
  '\0': '\\0',
};

function escapeTabSeparated(text: string): string {
  return text.replace(/[\\\t\n\r\b\f\0]/g, (char) => tabSeparatedEscapes[char] ?? char);
}

function quote(text: string): string {
  return `'${escapeTabSeparated(text).replaceAll("'", "\\'")}'`;
}

/**
 * A query string text as the JSON value that `formatParam` accepts for the type. Numbers stay text, with every digit. A
 * list is JSON, or comma-separated. Never throws: an invalid text is returned unchanged, and `formatParam` refuses it.
 */
export function parseByType(type: string, text: string): unknown {
  return parseText(parseClickHouseType(type), text);
}

function parseText(type: ClickHouseType, text: string): unknown {
  if (type.name === 'LowCardinality') return parseText(innerType(type), text);
  if (type.name === 'Nullable') {
    const inner = innerType(type);
    return text === 'null' && !isTextual(inner) ? null : parseText(inner, text);
  }
  if (type.name === 'Bool') return parseBoolean(text);
  if (type.name === 'Array') return parseList(type, text);
  if (type.name === 'Tuple') return parseTuple(type, text);
  if (type.name === 'Map' || type.name === 'Nested') return parseExactJson(text) ?? text;
  if (type.name === 'JSON') return parseObject(text);
  return text;
}

/** Whether `null` may be one of the type's own values. */
function isTextual(type: ClickHouseType): boolean {
  return /^(?:Fixed)?String$/.test(type.name) || enumMembers(type).includes('null');
}

/** JSON, or the elements separated by commas. */
function parseTuple(type: ClickHouseType, text: string): unknown {
  const types = elementTypes(type);
  if (/^\s*[[{]/.test(text)) return parseExactJson(text) ?? text;
  return text.split(',').map((part, at) => {
    const element = types[at];
    return element === undefined ? part : parseText(element, part);
  });
}

/** Its numbers stay numbers, since the type of each follows from the value. */
function parseObject(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function parseBoolean(text: string): unknown {
  if (text === 'true' || text === 'True' || text === '1') return true;
  if (text === 'false' || text === 'False' || text === '0') return false;
  return text;
}

function parseList(type: ClickHouseType, text: string): unknown {
  if (text.trimStart().startsWith('[')) return parseExactJson(text) ?? text;
  if (text === '') return [];
  const element = innerType(type);
  return text.split(',').map((part) => parseText(element, part));
}

/** Parses JSON with long numbers as text, so that no digit is lost; undefined when it is not JSON. */
function parseExactJson(text: string): unknown {
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const isInexact = typeof value === 'number' && context?.source !== undefined;
    return isInexact && String(value) !== context.source ? context.source : value;
  };
  try {
    return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
  } catch {
    return undefined;
  }
}
