import { invalidInput } from '../../errors/service-error.ts';
import { isGiven } from '../../lib/is-given.ts';
import { bindLegacyVariable } from '../../query/legacy-variable.ts';
import { CODE_NAME, type LegacyType, legacyTypes } from '../../query/variable-definition.ts';
import { requireStorableJson, requireStorableText } from '../../sql/storable-text.ts';
import type { SavedVariableContent } from '../../store/saved-variable-store.ts';

/** A saved variable as a caller sent it. Absent members stay unchanged; a null default or list of values removes it. */
export interface SavedVariableInput {
  readonly name?: string | null | undefined;
  readonly codeName?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly defaultValue?: unknown;
  readonly values?: unknown;
}

const maxNameLength = 400;
const maxValues = 1000;

/** Throws `invalid_input`, naming the invalid member. */
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

/** The content after an update. The code name cannot change, because query texts refer to it. */
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
    throw invalidInput('name', `A name may have at most ${maxNameLength} characters.`);
  }
  return requireStorableText(name, 'name');
}

/** "Start date" becomes start_date. Source: existing clients, which derive it the same way. */
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
    'A code name must be a letter or underscore, then letters, digits or underscores, at most 128 characters. If omitted, it is derived from the name.',
  );
}

function parseType(type: string | null | undefined): LegacyType {
  const found = legacyTypes.find((known) => known === type);
  if (found !== undefined) return found;
  throw invalidInput('type', `The type of a variable must be one of ${legacyTypes.join(', ')}.`);
}

function parseValues(values: unknown): readonly unknown[] | null {
  if (values === null) return null;
  if (!Array.isArray(values) || values.length > maxValues) {
    throw invalidInput(
      'values',
      `values must be an array of at most ${maxValues} values, or null.`,
    );
  }
  requireStorableJson(values, 'values');
  return values;
}
