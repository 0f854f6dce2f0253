/** Converts typed texts of variables to the service's values. Pure. */
import { parseExact, RawJson, toJson } from '../api/exact-json.ts';
import { bareType, elementType, isTypedAsJson, isWide, kindOf } from './clickhouse-types.ts';

export interface VariableShape {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly description: string;
}

/** Texts by variable; an absent one uses its default. */
export type TypedTexts = Readonly<Record<string, string>>;

/** The texts that the service takes as a boolean in a URL; it refuses others. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['True', true],
  ['1', true],
  ['false', false],
  ['False', false],
  ['0', false],
]);

/** Digits that a double would lose stay a string, which the service parses as a number. */
export function toVariableValue(type: string, text: string): unknown {
  if (text === '' && type.startsWith('Nullable(')) return null;
  const element = elementType(type);
  if (element !== null && text === '') return [];
  if (isTypedAsJson(type)) return fromJson(type, text);
  if (element !== null) return readList(element, text);
  const kind = kindOf(type);
  if (kind === 'boolean') return booleans.get(text.trim()) ?? text;
  if (kind === 'integer' || kind === 'float') {
    const number = Number(text);
    return !isWide(type) && text.trim() !== '' && String(number) === text.trim()
      ? number
      : text.trim();
  }
  return text;
}

/** The values of a list: one per line, without empty lines, or JSON. */
export function readList(element: string, text: string): readonly unknown[] {
  const values = fromJson(element, text);
  if (Array.isArray(values)) return values;
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => toVariableValue(element, line));
}

/**
 * Digits that a double would lose become strings here too; within JSON, where a string is another value, the text stays
 * as it is. One that is no list or object in JSON is returned unchanged, for the service to refuse.
 */
function fromJson(type: string, text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    const exact = parseExact(text);
    if (!/\bJSON\b/.test(type)) return exact;
    const isExact = JSON.stringify(value) === JSON.stringify(exact);
    return isExact ? value : new RawJson(text.replace(/[\r\n]+/g, ' '));
  } catch {
    return text;
  }
}

/** A value of the type as it would be typed; `toVariableValue` is the inverse but for null, which is empty. */
export function toTypedText(type: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  const element = elementType(type);
  if (Array.isArray(value) && element !== null && !isTypedAsJson(type))
    return listText(element, value);
  return typeof value === 'string' ? value : toJson(value);
}

/** One value per line, or JSON where lines would be read as other values. */
function listText(element: string, values: readonly unknown[]): string {
  const lines = values.map((value) => toTypedText(element, value));
  const isRead = values.every((value, at) => typeof value !== 'object' && isLine(lines[at] ?? ''));
  return isRead && !beginsList(lines[0] ?? '') ? lines.join('\n') : toJson(values);
}

function isLine(text: string): boolean {
  return text !== '' && !/[\r\n]/.test(text);
}

function beginsList(text: string): boolean {
  return text.trimStart().startsWith('[');
}

/** Only the given ones. */
export function toVariables(
  variables: readonly VariableShape[],
  texts: TypedTexts,
): Readonly<Record<string, unknown>> {
  const given = variables.filter(({ name }) => texts[name] !== undefined);
  return Object.fromEntries(
    given.map(({ name, type }) => [name, toVariableValue(type, texts[name] ?? '')]),
  );
}

export function missingVariables(
  variables: readonly VariableShape[],
  texts: TypedTexts,
): readonly string[] {
  return variables
    .filter(({ name, required, type }) => required && isMissing(type, texts[name]))
    .map(({ name }) => name);
}

/** An empty text is a valid String. */
function isMissing(type: string, text: string | undefined): boolean {
  return (
    text === undefined ||
    (text === '' && bareType(type) !== 'String' && !type.startsWith('Nullable('))
  );
}
