import { invalidInput, invalidQuery } from '../errors/service-error.ts';
import { didYouMean } from '../lib/nearest-name.ts';
import { findPlaceholders, type Placeholder, spellingOf } from '../sql/placeholders.ts';
import { requireStorableJson } from '../sql/storable-text.ts';
import { parseDefinitions, type VariableDefinition } from './variable-definition.ts';

/** `HogQLQuery` is the reference product's name for `SQLQuery`: existing clients send it and read it back. */
type QueryKind = 'SQLQuery' | 'HogQLQuery';

/** The canonical query: what is stored, compared and returned. */
export interface QueryDefinition {
  readonly kind: QueryKind;
  readonly query: string;
  /** Values as the author sent them, by id or by name. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A definition with its placeholders and variables parsed. */
export interface ParsedQuery {
  readonly definition: QueryDefinition;
  readonly placeholders: readonly Placeholder[];
  /** By code name. */
  readonly definitions: ReadonlyMap<string, VariableDefinition>;
}

/** The engine parses at most 262,144 bytes (ClickHouse's max_query_size), and each statement adds some to the text. */
export const maxQueryBytes = 256_000;

const kinds: ReadonlySet<string> = new Set(['SQLQuery', 'HogQLQuery']);
const members: ReadonlySet<string> = new Set(['kind', 'query', 'variables']);

/** Members that the reference product also writes; accepted when empty. */
const emptyMembers: ReadonlySet<string> = new Set(
  'values filters modifiers explain name response tags version connectionId'.split(' '),
);

/**
 * The canonical form of any accepted spelling of a query: a string, or `{kind, query, variables?}`. Throws
 * `invalid_input` with attr `query`.
 */
export function parseQueryDefinition(value: unknown): QueryDefinition {
  requireStorableJson(value, 'query');
  if (typeof value === 'string') {
    return { kind: 'SQLQuery', query: requireQueryText(value), variables: {} };
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidInput('query', 'A query must be a string or an object {kind, query, variables}.');
  }
  const given = value as Record<string, unknown>;
  requireKnownMembers(given);
  if (typeof given.kind !== 'string' || !kinds.has(given.kind)) {
    throw invalidInput('query.kind', 'The kind of a query must be SQLQuery or HogQLQuery.');
  }
  if (typeof given.query !== 'string') {
    throw invalidInput('query.query', 'The text of a query is required, as a string.');
  }
  const variables = given.variables ?? {};
  if (typeof variables !== 'object' || Array.isArray(variables)) {
    throw invalidInput(
      'query.variables',
      'Variables must be an object of definitions, by id or by name.',
    );
  }
  return {
    kind: given.kind as QueryKind,
    query: requireQueryText(given.query),
    variables: variables as Record<string, unknown>,
  };
}

/**
 * Checks the text's placeholders against the definitions. Throws `invalid_query` for a name without a definition, a
 * name with two spellings or types, and a parameter that would become part of the SQL text.
 */
export function parseQuery(definition: QueryDefinition): ParsedQuery {
  const definitions = parseDefinitions(definition.variables);
  const placeholders = findPlaceholders(definition.query);
  requireFewVariables(placeholders);
  requireDefined(placeholders, definitions);
  requireOneSpelling(placeholders);
  return { definition, placeholders, definitions };
}

function requireQueryText(text: string): string {
  if (text.trim() === '')
    throw invalidInput('query', 'The query is empty. Write one SELECT statement.');
  if (Buffer.byteLength(text) > maxQueryBytes) {
    throw invalidInput('query', `A query may have at most ${maxQueryBytes} bytes.`);
  }
  return text;
}

function requireKnownMembers(given: Readonly<Record<string, unknown>>): void {
  for (const [name, member] of Object.entries(given)) {
    if (members.has(name)) continue;
    if (emptyMembers.has(name)) {
      if (member === null || member === undefined) continue;
      if (typeof member === 'object' && Object.keys(member).length === 0) continue;
    }
    throw invalidInput(
      'query',
      `A query has no member "${name}".${didYouMean(name, members)} Accepted: kind, query, variables.`,
    );
  }
}

/** The engine receives them as form fields and accepts only a few thousand. */
const maxVariables = 500;

function requireFewVariables(placeholders: readonly Placeholder[]): void {
  const names = new Set(placeholders.map((p) => (p.kind === 'filters' ? '' : p.name)));
  if (names.size > maxVariables)
    throw invalidQuery(`A query may have at most ${maxVariables} variables.`);
}

function requireDefined(
  placeholders: readonly Placeholder[],
  definitions: ReadonlyMap<string, VariableDefinition>,
): void {
  const missing = new Set<string>();
  for (const p of placeholders) {
    if (p.kind === 'variable' && !definitions.has(p.name)) missing.add(p.name);
  }
  if (missing.size === 0) return;
  throw invalidQuery(
    `The query uses variables that it does not define: ${[...missing].join(', ')}. Define each in query.variables, or write it as {name:Type}.`,
  );
}

function requireOneSpelling(placeholders: readonly Placeholder[]): void {
  const spellings = new Map<string, string>();
  for (const p of placeholders) {
    if (p.kind === 'filters') continue;
    if (p.kind === 'typed' && /\bIdentifier\b/i.test(p.type)) {
      throw invalidQuery(
        `{${p.name}:Identifier} is not allowed: a variable stands for a value, not a name.`,
      );
    }
    const spelling = spellingOf(p);
    const earlier = spellings.get(p.name);
    if (earlier !== undefined && earlier !== spelling) {
      throw invalidQuery(
        `The variable ${p.name} is written as ${earlier} and as ${spelling}. Use one of them.`,
      );
    }
    spellings.set(p.name, spelling);
  }
}
