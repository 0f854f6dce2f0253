import { invalidInput } from '../errors/service-error.ts';
import { didYouMean } from '../lib/nearest-name.ts';

/** The reference product's types of variables, for `{variables.name}`. */
export const legacyTypes = ['String', 'Number', 'Boolean', 'List', 'Date'] as const;
export type LegacyType = (typeof legacyTypes)[number];

/** The author's definition of one variable. */
export interface VariableDefinition {
  readonly codeName: string;
  /** Null when there is neither a type nor a default that implies one. */
  readonly type: LegacyType | null;
  /** Whether a default was given; `value` may be null by `isNull`. */
  readonly hasDefault: boolean;
  readonly value: unknown;
  readonly description: string;
}

export const CODE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const members = 'code_name type value isNull description variableId id name'.split(' ');

/** The definitions by code name. Throws `invalid_input`, naming the member at fault. */
export function parseDefinitions(
  variables: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, VariableDefinition> {
  const definitions = new Map<string, VariableDefinition>();
  for (const [key, value] of Object.entries(variables)) {
    const definition = parseDefinition(key, value);
    if (definitions.has(definition.codeName)) {
      throw invalidInput(attrOf(key), `The variable ${definition.codeName} is defined twice.`);
    }
    definitions.set(definition.codeName, definition);
  }
  return definitions;
}

function parseDefinition(key: string, value: unknown): VariableDefinition {
  const attr = attrOf(key);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidInput(
      attr,
      'The definition of a variable must be an object {code_name, type, value, isNull, description}.',
    );
  }
  const given = value as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (!members.includes(name)) {
      throw invalidInput(
        attr,
        `A variable has no member "${name}".${didYouMean(name, members)} Accepted: ${members.join(', ')}.`,
      );
    }
  }
  const codeName = given.code_name ?? key;
  if (typeof codeName !== 'string' || !CODE_NAME.test(codeName)) {
    throw invalidInput(
      `${attr}.code_name`,
      'A code name must be a letter or underscore, then letters, digits or underscores.',
    );
  }
  const isNull = optionalOf(given, 'isNull', 'boolean', attr) === true;
  const description = optionalOf(given, 'description', 'string', attr);
  const hasValue = given.value !== undefined && given.value !== null;
  return {
    codeName,
    type: parseType(given.type, attr) ?? typeOfDefault(given.value),
    hasDefault: hasValue || isNull || given.value === null,
    value: isNull || !hasValue ? null : given.value,
    description: typeof description === 'string' ? description : '',
  };
}

function attrOf(key: string): string {
  return `query.variables.${key}`;
}

function optionalOf(
  given: Readonly<Record<string, unknown>>,
  name: string,
  type: 'boolean' | 'string',
  attr: string,
): unknown {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === type) return value;
  throw invalidInput(
    `${attr}.${name}`,
    `This must be ${type === 'string' ? 'a string' : 'true or false'}.`,
  );
}

function parseType(value: unknown, attr: string): LegacyType | null {
  if (value === undefined || value === null) return null;
  const found = legacyTypes.find((type) => type === value);
  if (found !== undefined) return found;
  throw invalidInput(
    `${attr}.type`,
    `The type of a variable must be one of ${legacyTypes.join(', ')}.`,
  );
}

/** The type that a default implies, for clients that send none; null for the contract's default, String. */
function typeOfDefault(value: unknown): LegacyType | null {
  if (typeof value === 'number') return 'Number';
  if (typeof value === 'boolean') return 'Boolean';
  if (Array.isArray(value)) return 'List';
  return null;
}
