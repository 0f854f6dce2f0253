import { invalidInput } from '../../errors/service-error.ts';
import { bindLegacyVariable } from '../../query/legacy-variable.ts';
import { CODE_NAME, type LegacyType, legacyTypes } from '../../query/variable-definition.ts';
import { requireStorableJson, requireStorableText } from '../../sql/storable-text.ts';
import type { SavedVariableContent } from '../../store/saved-variable-store.ts';

/** A saved variable as a caller sent it. Absent members stay as they are; a null default or list of values removes it. */
export interface SavedVariableInput {
  readonly name?: string | null | undefined;
  readonly codeName?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly defaultValue?: unknown;
  readonly values?: unknown;
}

const maxNameLength = 400;
const maxValues = 1000;

/** Throws `invalid_input`, naming the member at fault. */
export function parseNewVariable(input: SavedVariableInput): SavedVariableContent {
  const name = parseName(input.name);
  return checkContent({
    name,
    codeName: parseCodeName(input.codeName ?? codeNameOf(name)),
    type: parseType(input.type),
    defaultValue: input.defaultValue ?? null,
    values: parseValues(input.values ?? null),
  });
}

/** The content after an update. Its code name stays, because texts of queries use it. */
export function changeVariable(
  was: SavedVariableContent,
  input: SavedVariableInput,
): SavedVariableContent {
  if (isGiven(input.codeName) && input.codeName !== was.codeName) {
    throw invalidInput('code_name', `The code name is ${was.codeName} and cannot be changed.`);
  }
  return checkContent({
    name: isGiven(input.name) ? parseName(input.name) : was.name,
    codeName: was.codeName,
    type: isGiven(input.type) ? parseType(input.type) : was.type,
    defaultValue: input.defaultValue === undefined ? was.defaultValue : input.defaultValue,
    values: input.values === undefined ? was.values : parseValues(input.values),
  });
}

function checkContent(content: SavedVariableContent): SavedVariableContent {
  const { type, defaultValue } = content;
  requireStorableJson(defaultValue, 'default_value');
  if (defaultValue !== null) bindLegacyVariable(type as LegacyType, defaultValue, 'default_value');
  return content;
}

function parseName(name: string | null | undefined): string {
  if (!isGiven(name) || name.trim() === '') throw invalidInput('name', 'A name is required.');
  if (name.length > maxNameLength) {
    throw invalidInput('name', `A name has at most ${maxNameLength} characters.`);
  }
  return requireStorableText(name, 'name');
}

/** "Start date" is start_date. Source: existing clients, which build it in the same way. */
function codeNameOf(name: string): string {
  return name
    .replace(/[^A-Za-z0-9_ ]/g, '')
    .replaceAll(' ', '_')
    .toLowerCase();
}

function parseCodeName(codeName: string): string {
  if (CODE_NAME.test(codeName)) return codeName;
  throw invalidInput(
    'code_name',
    'A code name is a letter or underscore, then letters, digits or underscores, 128 characters at most. It is made of the name when it is left out.',
  );
}

function parseType(type: string | null | undefined): LegacyType {
  const found = legacyTypes.find((known) => known === type);
  if (found !== undefined) return found;
  throw invalidInput('type', `The type of a variable is one of ${legacyTypes.join(', ')}.`);
}

function parseValues(values: unknown): readonly unknown[] | null {
  if (values === null) return null;
  if (!Array.isArray(values) || values.length > maxValues) {
    throw invalidInput('values', `values is an array of at most ${maxValues}, or null.`);
  }
  requireStorableJson(values, 'values');
  return values;
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
