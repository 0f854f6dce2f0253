/**
 * Values for the engine's typed parameters: a JSON value of a caller → the text the engine reads for the
 * type, exact to the last digit, or a sentence that says what the type takes.
 *
 * The engine itself clamps a date and wraps an integer that is out of range (`256` as UInt8 is 0), so ranges
 * are checked here. The text is final: it is escaped as the engine expects it, the driver sends it as it is.
 */
import { invalidInput } from '../errors/service-error.ts';
import {
  type ClickHouseType,
  elementTypes,
  innerType,
  isNullable,
  parseClickHouseType,
  typeToText,
  unquote,
} from './clickhouse-type.ts';
import { isBare, ParamRefusal, scalarText } from './param-scalar.ts';

/**
 * @param attr the input at fault, as the caller wrote its path (`variables.country`).
 * @throws ServiceError `invalid_input` naming `attr` and what the type takes.
 */
export function formatParam(type: string, value: unknown, attr: string | null = null): string {
  const tree = parseClickHouseType(type);
  try {
    return topLevelText(tree, value);
  } catch (error) {
    if (error instanceof ParamRefusal) {
      throw invalidInput(attr, `${attr ?? 'The value'} ${error.message}`);
    }
    throw error;
  }
}

function topLevelText(type: ClickHouseType, value: unknown): string {
  if (value === null || value === undefined) {
    if (isNullable(type)) return '\\N';
    throw new ParamRefusal(`takes ${typeToText(type)}, which has no null.`);
  }
  if (type.name === 'Nullable' || type.name === 'LowCardinality') {
    return topLevelText(innerType(type), value);
  }
  return containerText(type, value) ?? escapeTabSeparated(scalarText(type, value));
}

/** Text of an array, a tuple or a map; null for every other type. */
function containerText(type: ClickHouseType, value: unknown): string | null {
  if (type.name === 'Array') return arrayText(type, value);
  if (type.name === 'Nested') return arrayText(type, value);
  if (type.name === 'Tuple') return tupleText(type, value);
  if (type.name === 'Map') return mapText(type, value);
  return null;
}

/** A value inside an array, tuple or map: quoted as in SQL unless it is a number or a boolean. */
function nestedText(type: ClickHouseType, value: unknown): string {
  if (value === null || value === undefined) {
    if (isNullable(type)) return 'NULL';
    throw new ParamRefusal(`takes ${typeToText(type)} elements, which are never null.`);
  }
  if (type.name === 'Nullable' || type.name === 'LowCardinality') {
    return nestedText(innerType(type), value);
  }
  const container = containerText(type, value);
  if (container !== null) return container;
  const text = scalarText(type, value);
  return isBare(type) ? text : quote(text);
}

function arrayText(type: ClickHouseType, value: unknown): string {
  const element = type.name === 'Nested' ? { ...type, name: 'Tuple' } : innerType(type);
  if (!Array.isArray(value)) {
    throw new ParamRefusal(`takes a list of ${typeToText(element)} values.`);
  }
  return `[${value.map((item: unknown) => nestedText(element, item)).join(',')}]`;
}

function tupleText(type: ClickHouseType, value: unknown): string {
  const types = elementTypes(type);
  const items = Array.isArray(value) ? (value as readonly unknown[]) : byLabel(type, value);
  if (items === null || items.length !== types.length) {
    throw new ParamRefusal(
      `takes a list of ${types.length} values, one for each part of ${typeToText(type)}.`,
    );
  }
  return `(${types.map((element, i) => nestedText(element, items[i])).join(',')})`;
}

/** The members of an object in the order of a tuple's labels; null when they are not exactly those. */
function byLabel(type: ClickHouseType, value: unknown): readonly unknown[] | null {
  if (value === null || typeof value !== 'object') return null;
  const labels = (type.args ?? []).map((arg) => (arg.label === null ? null : unquote(arg.label)));
  const members = new Map(Object.entries(value));
  if (labels.length !== members.size) return null;
  if (!labels.every((label) => label !== null && members.has(label))) return null;
  return labels.map((label) => members.get(label ?? ''));
}

function mapText(type: ClickHouseType, value: unknown): string {
  const [key, item] = elementTypes(type);
  if (value === null || typeof value !== 'object' || Array.isArray(value) || !key || !item) {
    throw new ParamRefusal(`takes an object whose members fit ${typeToText(type)}.`);
  }
  const entries = Object.entries(value).map(
    ([name, member]) => `${nestedText(key, name)}:${nestedText(item, member)}`,
  );
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
 * A query-string text as the JSON value that `formatParam` takes for the type. Numbers stay text, so that
 * every digit is kept. A list is JSON, or values separated by commas. Never throws: a text that does not
 * fit comes back as it is, for `formatParam` to refuse with its own sentence.
 */
export function parseByType(type: string, text: string): unknown {
  return readText(parseClickHouseType(type), text);
}

function readText(type: ClickHouseType, text: string): unknown {
  if (type.name === 'LowCardinality') return readText(innerType(type), text);
  if (type.name === 'Nullable') {
    const inner = innerType(type);
    return text === 'null' && inner.name !== 'String' ? null : readText(inner, text);
  }
  if (type.name === 'Bool') return readBoolean(text);
  if (type.name === 'Array') return readList(type, text);
  if (type.name === 'Tuple' || type.name === 'Map' || type.name === 'Nested') {
    return readJson(text) ?? text;
  }
  return text;
}

function readBoolean(text: string): unknown {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  return text;
}

function readList(type: ClickHouseType, text: string): unknown {
  if (text.trimStart().startsWith('[')) return readJson(text) ?? text;
  if (text === '') return [];
  const element = innerType(type);
  return text.split(',').map((part) => readText(element, part));
}

/** JSON whose long numbers come back as text, so that no digit is lost; undefined when it is not JSON. */
function readJson(text: string): unknown {
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
