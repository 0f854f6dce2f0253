/** The query of an endpoint while it is edited: its text, and the definitions of its variables. Pure. */
import { toTypedText, toVariableValue, type VariableShape } from '../run/variable-values.ts';

/** One definition of a variable; members unknown to the console stay unchanged. */
export interface VariableDefinition {
  readonly code_name?: string;
  readonly value?: unknown;
  readonly description?: string;
  readonly [member: string]: unknown;
}

export interface Definition {
  readonly kind: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, VariableDefinition>>;
}

export const emptyDefinition: Definition = { kind: 'SQLQuery', query: '', variables: {} };

export function toDefinition(query: unknown): Definition {
  if (typeof query !== 'object' || query === null) return emptyDefinition;
  const { kind, query: text, variables } = query as Partial<Definition>;
  return { kind: kind ?? 'SQLQuery', query: text ?? '', variables: variables ?? {} };
}

/** In the service's form, without definitions of variables that the text no longer has. */
export function toQuery(definition: Definition, known: readonly VariableShape[] | null) {
  if (known === null) return definition;
  const names = new Set(known.map(({ name }) => name));
  const kept = Object.entries(definition.variables).filter(([key, { code_name }]) =>
    names.has(code_name ?? key),
  );
  return { ...definition, variables: Object.fromEntries(kept) };
}

function keyOf({ variables }: Definition, name: string): string {
  return Object.keys(variables).find((key) => variables[key]?.code_name === name) ?? name;
}

export function definitionOf(definition: Definition, name: string): VariableDefinition {
  return definition.variables[keyOf(definition, name)] ?? {};
}

/** Sets the description; an empty one removes it. */
export function withDescription(definition: Definition, name: string, text: string): Definition {
  const { description: _, ...rest } = definitionOf(definition, name);
  return withDefinition(definition, name, text === '' ? rest : { ...rest, description: text });
}

/** Sets the default; undefined makes the variable required. */
export function withDefault(
  definition: Definition,
  { name, type }: VariableShape,
  text: string | undefined,
): Definition {
  const { value: _, ...rest } = definitionOf(definition, name);
  const value = text === undefined ? {} : { value: toVariableValue(type, text) };
  return withDefinition(definition, name, { ...rest, ...value });
}

/** The default as it would be typed; undefined when there is none. */
export function defaultText(
  definition: Definition,
  { name, type }: Pick<VariableShape, 'name' | 'type'>,
): string | undefined {
  const { value } = definitionOf(definition, name);
  return value === undefined || value === null ? undefined : toTypedText(type, value);
}

function withDefinition(
  definition: Definition,
  name: string,
  changed: VariableDefinition,
): Definition {
  const key = keyOf(definition, name);
  const { [key]: _, ...others } = definition.variables;
  const isEmpty = Object.keys(changed).length === 0;
  return { ...definition, variables: isEmpty ? others : { ...others, [key]: changed } };
}
