import { ServiceError } from '../errors/service-error.ts';
import { didYouMean } from '../lib/nearest-name.ts';
import { shorten } from '../lib/shorten.ts';
import { parseClickHouseType, typeToText, withoutWrappers } from '../sql/clickhouse-type.ts';
import { sampleParam } from '../sql/param-sample.ts';
import { formatParam } from '../sql/param-value.ts';
import {
  isDayOfTime,
  isRowCount,
  listInContext,
  type Place,
  sampleInContext,
} from '../sql/sample-context.ts';
import { type BoundParam, bindLegacyVariable, legacyEngineTypes } from './legacy-variable.ts';
import { parseText } from './parse-text.ts';
import type { ParsedQuery } from './query-definition.ts';
import type { LegacyType, VariableDefinition } from './variable-definition.ts';

/** A variable as callers see it. `default` is null when there is none or when it is itself null. */
export interface Variable {
  readonly name: string;
  /** A ClickHouse type for `{name:Type}`; String, Number, Boolean, List or Date for `{variables.name}`. */
  readonly type: string;
  readonly required: boolean;
  readonly default: unknown;
  readonly description: string;
}

/** Where values come from: JSON, or a query string, whose texts are parsed by the variable's type. */
export type ValueSource = 'json' | 'text';

/** A variable and how it is bound. */
interface VariableSlot extends Variable {
  /** Null for `{name:Type}`. */
  readonly legacyType: LegacyType | null;
  readonly isUsed: boolean;
}

/** The variables of a query, in the order of first use, then the unused definitions. */
export function listVariables(query: ParsedQuery): readonly Variable[] {
  return listSlots(query).map(({ legacyType: _type, isUsed: _isUsed, ...variable }) => variable);
}

/**
 * The values that a run binds, by name: the given ones, else the defaults. Throws `unknown_variable`,
 * `missing_variable`, or `invalid_input` naming the variable whose value does not fit its type.
 */
export function bindVariables(
  query: ParsedQuery,
  given: Values,
  source: ValueSource,
): ReadonlyMap<string, BoundParam> {
  const slots = listSlots(query);
  requireKnown(slots, given);
  requirePresent(slots, given);
  const bound = new Map<string, BoundParam>();
  for (const slot of slots) {
    const attr = `variables.${slot.name}`;
    const param = isGiven(given, slot.name)
      ? bind(slot, given[slot.name], source, attr)
      : bind(slot, slot.default, 'json', attr);
    if (slot.isUsed) bound.set(slot.name, param);
  }
  return bound;
}

/**
 * Values for analyzing a query without a run: the defaults, else a sample of the type, or of what the query parses a
 * string as.
 */
export function sampleVariables(query: ParsedQuery): ReadonlyMap<string, BoundParam> {
  const bound = new Map<string, BoundParam>();
  for (const slot of listSlots(query)) {
    const hasDefault = query.definitions.get(slot.name)?.hasDefault === true;
    if (hasDefault && (slot.legacyType === null || slot.default !== null)) {
      bound.set(slot.name, bind(slot, slot.default, 'json', `query.variables.${slot.name}`));
      continue;
    }
    const type = slot.legacyType === null ? slot.type : legacyEngineTypes[slot.legacyType];
    const parsed =
      type === 'String' ? sampleOfString(query, slot.name) : sampleOfList(query, slot.name, type);
    const sampled = countsRows(query, slot.name)
      ? typeToText(withoutWrappers(parseClickHouseType(type)))
      : type;
    bound.set(slot.name, { type, text: parsed ?? sampleParam(sampled) });
  }
  return bound;
}

/** Whether LIMIT or OFFSET takes it, which accept no NULL. */
function countsRows({ definition, placeholders }: ParsedQuery, name: string): boolean {
  return placeholders.some(
    (placeholder) =>
      placeholder.kind === 'typed' &&
      placeholder.name === name &&
      isRowCount(definition.query, placeholder),
  );
}

/** Whether the query appends a time of day to the variable, a String. */
export function isDayOfText({ definition, placeholders }: ParsedQuery, name: string): boolean {
  return placeholders.some(
    (placeholder) =>
      placeholder.kind !== 'filters' &&
      placeholder.name === name &&
      (placeholder.kind !== 'typed' || /\bString\b/.test(placeholder.type)) &&
      isDayOfTime(definition.query, placeholder),
  );
}

/** Null when the query accepts any string. */
function sampleOfString(query: ParsedQuery, name: string): string | null {
  if (isDayOfText(query, name)) return sampleParam('Date');
  return firstSample(query, name, sampleInContext);
}

/** Null when the query accepts any list, or it is none. */
function sampleOfList(query: ParsedQuery, name: string, type: string): string | null {
  return firstSample(query, name, (sql, place) => listInContext(sql, place, type));
}

/** Of the first place of the variable of which something is known. */
function firstSample(
  { definition, placeholders }: ParsedQuery,
  name: string,
  sampleAt: (sql: string, place: Place) => string | null,
): string | null {
  for (const placeholder of placeholders) {
    if (placeholder.kind === 'filters' || placeholder.name !== name) continue;
    const sample = sampleAt(definition.query, placeholder);
    if (sample !== null) return sample;
  }
  return null;
}

function listSlots(query: ParsedQuery): readonly VariableSlot[] {
  const slots = new Map<string, VariableSlot>();
  for (const placeholder of query.placeholders) {
    if (placeholder.kind === 'filters' || slots.has(placeholder.name)) continue;
    const { name } = placeholder;
    const engineType = placeholder.kind === 'typed' ? placeholder.type : null;
    slots.set(name, toSlot(name, query.definitions.get(name), { engineType, isUsed: true }));
  }
  for (const definition of query.definitions.values()) {
    const name = definition.codeName;
    if (slots.has(name)) continue;
    slots.set(name, toSlot(name, definition, { engineType: null, isUsed: false }));
  }
  return [...slots.values()];
}

function toSlot(
  name: string,
  definition: VariableDefinition | undefined,
  { engineType, isUsed }: { readonly engineType: string | null; readonly isUsed: boolean },
): VariableSlot {
  const legacyType = definition?.type ?? 'String';
  return {
    name,
    type: engineType ?? legacyType,
    required: engineType !== null && definition?.hasDefault !== true,
    default: definition?.value ?? null,
    description: definition?.description ?? '',
    legacyType: engineType === null ? legacyType : null,
    isUsed,
  };
}

type Values = Readonly<Record<string, unknown>>;

const isGiven = (given: Values, name: string) =>
  Object.hasOwn(given, name) && given[name] !== undefined;

function requireKnown(slots: readonly VariableSlot[], given: Values): void {
  const names = new Set(slots.map((slot) => slot.name));
  const unknown = Object.keys(given).filter((name) => !names.has(name));
  if (unknown.length === 0) return;
  const accepted = names.size === 0 ? 'None are accepted.' : `Accepted: ${[...names].join(', ')}.`;
  const shown = unknown.sort().slice(0, maxNamed);
  const hints = shown.map((name) => didYouMean(name, names)).join('');
  const more = unknown.length - shown.length;
  const listed = `${shown.map((name) => shorten(name)).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const message = `Unknown variable(s): ${listed}.${hints} ${accepted}`;
  throw new ServiceError('unknown_variable', message, { attr: 'variables' });
}

/** Maximum number of unknown names that an error lists. */
const maxNamed = 10;

function requirePresent(slots: readonly VariableSlot[], given: Values): void {
  const missing = slots
    .filter((slot) => slot.required && !isGiven(given, slot.name))
    .map((slot) => `'${slot.name}'`);
  if (missing.length === 0) return;
  const message = `Required variable(s) ${missing.sort().join(', ')} not provided.`;
  throw new ServiceError('missing_variable', message, { attr: 'variables' });
}

function bind(slot: VariableSlot, value: unknown, source: ValueSource, attr: string): BoundParam {
  if (slot.legacyType !== null) return bindLegacyVariable(slot.legacyType, value, attr);
  const json =
    source === 'text' && typeof value === 'string' ? parseText(slot.type, value, attr) : value;
  return { type: slot.type, text: formatParam(slot.type, json, attr) };
}
