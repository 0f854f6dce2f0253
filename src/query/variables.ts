import { ServiceError } from '../errors/service-error.ts';
import { sampleParam } from '../sql/param-sample.ts';
import { formatParam, parseByType } from '../sql/param-value.ts';
import { type BoundParam, bindLegacyVariable, legacyEngineTypes } from './legacy-variable.ts';
import type { ParsedQuery } from './query-definition.ts';
import type { LegacyType } from './variable-definition.ts';

/** A variable as callers see it. `default` is null when there is none or when it is null itself. */
export interface Variable {
  readonly name: string;
  /** A ClickHouse type for `{name:Type}`; String, Number, Boolean, List or Date for `{variables.name}`. */
  readonly type: string;
  readonly required: boolean;
  readonly default: unknown;
  readonly description: string;
}

/** How values reached us: as JSON, or as the texts of a query string, read by the variable's type. */
export type ValueSource = 'json' | 'text';

/** A variable with the spelling that decides how it is bound: `kept` is null for `{name:Type}`. */
interface VariableSlot extends Variable {
  readonly legacyType: LegacyType | null;
  readonly used: boolean;
}

/** The variables of a query, in the order of their first use, then those defined and not used. */
export function listVariables(query: ParsedQuery): readonly Variable[] {
  return listSlots(query).map(({ legacyType: _legacyType, used: _used, ...variable }) => variable);
}

/**
 * The values a run binds, by name: the given ones, else the defaults. Throws `unknown_variable`,
 * `missing_variable`, or `invalid_input` naming the variable whose value does not fit its type.
 */
export function bindVariables(
  query: ParsedQuery,
  given: Readonly<Record<string, unknown>>,
  form: ValueSource,
): ReadonlyMap<string, BoundParam> {
  const slots = listSlots(query);
  requireKnown(slots, given);
  requirePresent(slots, given);
  const bound = new Map<string, BoundParam>();
  for (const slot of slots) {
    const isGiven = Object.hasOwn(given, slot.name) && given[slot.name] !== undefined;
    const attr = `variables.${slot.name}`;
    const param = isGiven
      ? bind(slot, given[slot.name], form, attr)
      : bind(slot, slot.default, 'json', attr);
    if (slot.used) bound.set(slot.name, param);
  }
  return bound;
}

/** Values of the right types where no run gives any: the defaults, else a sample of the type. */
export function sampleVariables(query: ParsedQuery): ReadonlyMap<string, BoundParam> {
  const bound = new Map<string, BoundParam>();
  for (const slot of listSlots(query)) {
    const hasDefault = query.definitions.get(slot.name)?.hasDefault === true;
    if (hasDefault && (slot.legacyType === null || slot.default !== null)) {
      bound.set(slot.name, bind(slot, slot.default, 'json', `query.variables.${slot.name}`));
      continue;
    }
    const type = slot.legacyType === null ? slot.type : legacyEngineTypes[slot.legacyType];
    bound.set(slot.name, { type, text: sampleParam(type) });
  }
  return bound;
}

function listSlots(query: ParsedQuery): readonly VariableSlot[] {
  const slots = new Map<string, VariableSlot>();
  for (const placeholder of query.placeholders) {
    if (placeholder.kind === 'filters' || slots.has(placeholder.name)) continue;
    const definition = query.definitions.get(placeholder.name);
    const legacyType = placeholder.kind === 'typed' ? null : (definition?.type ?? 'String');
    slots.set(placeholder.name, {
      name: placeholder.name,
      type: placeholder.kind === 'typed' ? placeholder.type : (legacyType ?? 'String'),
      required: legacyType === null && definition?.hasDefault !== true,
      default: definition?.value ?? null,
      description: definition?.description ?? '',
      legacyType,
      used: true,
    });
  }
  for (const { codeName: name, type, value, description } of query.definitions.values()) {
    if (slots.has(name)) continue;
    const legacyType = type ?? 'String';
    slots.set(name, {
      name,
      type: legacyType,
      required: false,
      default: value,
      description,
      legacyType,
      used: false,
    });
  }
  return [...slots.values()];
}

function requireKnown(
  slots: readonly VariableSlot[],
  given: Readonly<Record<string, unknown>>,
): void {
  const known = new Set(slots.map((slot) => slot.name));
  const unknown = Object.keys(given)
    .filter((name) => !known.has(name))
    .sort();
  if (unknown.length === 0) return;
  const accepted = known.size === 0 ? 'It takes none.' : `It takes ${[...known].join(', ')}.`;
  throw new ServiceError(
    'unknown_variable',
    `Unknown variable(s): ${unknown.join(', ')}. ${accepted}`,
    {
      attr: 'variables',
    },
  );
}

function requirePresent(
  slots: readonly VariableSlot[],
  given: Readonly<Record<string, unknown>>,
): void {
  const missing = slots
    .filter(
      (slot) =>
        slot.required && (!Object.hasOwn(given, slot.name) || given[slot.name] === undefined),
    )
    .map((slot) => `'${slot.name}'`)
    .sort();
  if (missing.length === 0) return;
  throw new ServiceError(
    'missing_variable',
    `Required variable(s) ${missing.join(', ')} not provided.`,
    {
      attr: 'variables',
    },
  );
}

function bind(slot: VariableSlot, value: unknown, form: ValueSource, attr: string): BoundParam {
  if (slot.legacyType !== null) return bindLegacyVariable(slot.legacyType, value, attr);
  const json = form === 'text' && typeof value === 'string' ? parseByType(slot.type, value) : value;
  return { type: slot.type, text: formatParam(slot.type, json, attr) };
}
