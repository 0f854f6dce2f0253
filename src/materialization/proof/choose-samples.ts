/** With which values a stored table and its query are compared. Pure. */
import { ServiceError } from '../../errors/service-error.ts';
import type { MaterializationPlan, PlannedPredicate } from '../../model/materialization-plan.ts';
import type { BoundParam } from '../../query/legacy-variable.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import { bindVariables, listVariables, sampleVariables } from '../../query/variables.ts';
import { boundaryValues, compareValues, nextValue } from './boundary-values.ts';

/** Values of all variables of a query, as a run would bind them. */
export interface Sample {
  /** For people; null: the query's defaults and values of the right types. */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly bound: ReadonlyMap<string, BoundParam>;
  /** Whether rows have these values; of others the query may make an error before or behind its other conditions. */
  readonly isOfData: boolean;
}

/** What stands in a column that variables are compared with. */
export interface SampledColumn {
  readonly type: string;
  readonly lowest: unknown;
  readonly highest: unknown;
}

export interface SampledData {
  /** By the names of `sampledColumns`. */
  readonly columns: readonly SampledColumn[];
  /** Some rows, with the columns in the same order. */
  readonly rows: readonly (readonly unknown[])[];
}

/** Columns that variables filter by. */
export function sampledColumns(plan: MaterializationPlan): readonly string[] {
  return [...new Set(plan.predicates.map((predicate) => predicate.column))];
}

type Role = 'equal' | 'lower' | 'upper' | 'in' | 'other' | 'pattern';

interface SampledVariable {
  readonly variable: string;
  readonly role: Role;
  /** Whether it takes several values at once. */
  readonly isList: boolean;
  /** Whether it leaves the end out, as `<` does. */
  readonly isOpen: boolean;
  /** Which of the variables of its role on this column it is, as in `IN ({a}, {b})`. */
  readonly nth: number;
  /** Whether the column has the other end of a range as well. */
  readonly isClosedRange: boolean;
  readonly column: SampledColumn;
  /** Its value in a row that is not NULL there. */
  readonly cell: (row: number) => unknown;
}

type Choose = (slot: SampledVariable) => unknown;

const maxRowChoices = 6;
const maxBoundaryChoices = 6;

/**
 * The most telling first: the whole of every range, one value, nothing at all. Then others that stand in the data, both
 * ends, sets with a value twice or with none, values that no row has, and those at the ends of the types.
 */
export function chooseSamples(
  query: ParsedQuery,
  plan: MaterializationPlan,
  data: SampledData,
): readonly Sample[] {
  const isWhole = plan.predicates.length === 0;
  const neutral: Sample = { values: null, bound: sampleVariables(query), isOfData: isWhole };
  if (isWhole) return [neutral];
  const slots = slotsOf(query, plan, data);
  const samples = choicesOf(query).flatMap(({ choose, isOfData }) => {
    const chosen = Object.fromEntries(slots.map((slot) => [slot.variable, choose(slot)]));
    const bound = bindSample(query, chosen);
    if (bound === null) return [];
    const { isAsChosen, ...sample } = bound;
    return { ...sample, isOfData: isOfData && isAsChosen };
  });
  return distinct([...samples, neutral]);
}

interface Choice {
  readonly choose: Choose;
  readonly isOfData: boolean;
}

function choicesOf(query: ParsedQuery): readonly Choice[] {
  const ofData = (choose: Choose): Choice => ({ choose, isOfData: true });
  const invented = (choose: Choose): Choice => ({ choose, isOfData: false });
  const rows = Array.from({ length: maxRowChoices }, (_none, at) =>
    ofData((slot) => (at % 2 === 0 ? between(slot, at) : one(slot, at + 1))),
  );
  return [
    ofData(whole),
    ofData((slot) => one(slot, 1)),
    invented(nothing),
    ...rows,
    invented(absent),
    ofData((slot) => atEnd(slot, slot.column.lowest)),
    ofData((slot) => atEnd(slot, slot.column.highest)),
    ofData(twice),
    invented(gap),
    invented((slot) => outside(slot, 1)),
    invented((slot) => outside(slot, -1)),
    ...Array.from({ length: maxBoundaryChoices }, (_none, at) =>
      invented((slot) => plain(query, slot, at)),
    ),
    invented(() => null),
  ];
}

function distinct(samples: readonly Sample[]): readonly Sample[] {
  const known = new Map(
    samples.map((sample) => [JSON.stringify([...sample.bound]), sample] as const).reverse(),
  );
  return samples.filter((sample) => known.get(JSON.stringify([...sample.bound])) === sample);
}

function slotsOf(
  query: ParsedQuery,
  plan: MaterializationPlan,
  { columns, rows }: SampledData,
): readonly SampledVariable[] {
  const names = sampledColumns(plan);
  // The values of one row are found together.
  const complete = rows.filter((row) => !row.includes(null));
  const slots: SampledVariable[] = [];
  for (const predicate of plan.predicates) {
    if (slots.some(({ variable }) => variable === predicate.variable)) continue;
    const at = names.indexOf(predicate.column);
    const beside = plan.predicates.filter(({ column }) => column === predicate.column);
    const roles = beside.map(roleOf);
    const found = complete.length > 0 ? complete : rows.filter((row) => row[at] !== null);
    const cell = (row: number): unknown => found[row % Math.max(1, found.length)]?.[at];
    slots.push({
      variable: predicate.variable,
      role: roleOf(predicate),
      isList: isList(query, predicate.variable),
      isOpen: /^[<>]$/.test(predicate.operator),
      nth: beside.filter((each) => roleOf(each) === roleOf(predicate)).indexOf(predicate),
      isClosedRange: roles.includes('lower') && roles.includes('upper'),
      column: columns[at] ?? { type: 'String', lowest: null, highest: null },
      cell,
    });
  }
  return slots;
}

function roleOf({ operator }: PlannedPredicate): Role {
  const name = operator.toUpperCase();
  if (name.endsWith('LIKE')) return 'pattern';
  if (name === 'IN') return 'in';
  if (name.startsWith('>')) return 'lower';
  if (name.startsWith('<')) return 'upper';
  return name === '=' ? 'equal' : 'other';
}

function isList(query: ParsedQuery, variable: string): boolean {
  const type = listVariables(query).find(({ name }) => name === variable)?.type ?? '';
  return /^(Array\(|List$)/.test(type);
}

const listed = (
  { isList: several }: SampledVariable,
  values: readonly unknown[],
  nth: number,
): unknown => (several ? values : values[nth % values.length]);

/** All rows, but for those that a value or a set has to choose. */
function whole(slot: SampledVariable): unknown {
  const { role, column, cell, nth, isOpen } = slot;
  const { type, lowest, highest } = column;
  if (role === 'lower') return isOpen ? (nextValue(type, lowest, -1) ?? lowest) : lowest;
  if (role === 'upper') return isOpen ? (nextValue(type, highest, 1) ?? highest) : highest;
  if (role === 'in') return listed(slot, [cell(0), cell(3), cell(5)], nth);
  if (role === 'other') return listed(slot, [missing(slot) ?? cell(1)], nth);
  return role === 'pattern' ? '%' : cell(0);
}

/** From a value to the same. */
function one(slot: SampledVariable, row: number): unknown {
  return listed(slot, [slot.cell(row)], 0);
}

function nothing(slot: SampledVariable): unknown {
  const { role, column, isOpen, isClosedRange, isList: several } = slot;
  const { type, lowest, highest } = column;
  if (role === 'lower') return isOpen || isClosedRange ? highest : nextValue(type, highest, 1);
  if (role === 'upper') return isOpen || isClosedRange ? lowest : nextValue(type, lowest, -1);
  if (role === 'in' && several) return [];
  return role === 'other' ? one(slot, 0) : missing(slot);
}

/** From one row to another. */
function between(slot: SampledVariable, row: number): unknown {
  const { role, cell, nth } = slot;
  const ends = [cell(row), cell(2 * row + 1)].toSorted(compareValues);
  if (role === 'lower') return ends[0];
  if (role === 'upper') return ends[1];
  if (role === 'pattern') return `${String(cell(row)).slice(0, 2)}%`;
  if (role === 'in' || role === 'other') return listed(slot, [cell(row), cell(row + 3)], nth);
  return cell(row);
}

function missing({ column: { type, highest } }: SampledVariable): unknown {
  return nextValue(type, highest, 1);
}

function absent(slot: SampledVariable): unknown {
  if (slot.role === 'lower' || slot.role === 'upper') return whole(slot);
  if (slot.role === 'in') return listed(slot, [missing(slot), slot.cell(0)], slot.nth);
  return listed(slot, [missing(slot)], 0);
}

function atEnd(slot: SampledVariable, end: unknown): unknown {
  return slot.role === 'pattern' ? `%${String(end).slice(-1)}` : listed(slot, [end], 0);
}

function twice(slot: SampledVariable): unknown {
  if (slot.role === 'in' || slot.role === 'other') {
    return listed(slot, [slot.cell(0), slot.cell(0)], 0);
  }
  return slot.role === 'equal' ? slot.cell(0) : between(slot, 1);
}

/** From right behind the first value to the same, where often nothing is. */
function gap(slot: SampledVariable): unknown {
  if (slot.role !== 'lower' && slot.role !== 'upper') return whole(slot);
  return nextValue(slot.column.type, slot.column.lowest, 1);
}

/** Beyond one end, from there on. */
function outside(slot: SampledVariable, step: 1 | -1): unknown {
  const { type, lowest, highest } = slot.column;
  const value = nextValue(type, step > 0 ? highest : lowest, step);
  return listed(slot, [value], 0);
}

function plain(query: ParsedQuery, slot: SampledVariable, at: number): unknown {
  const { variable, isList: several, column } = slot;
  const values = /Enum/.test(column.type)
    ? boundaryValues(column.type)
    : boundaryValuesOf(query, variable);
  if (values.length === 0) return undefined;
  const value = values[at % values.length];
  return several ? [value] : value;
}

const legacyTypes: Readonly<Record<string, string>> = {
  Number: 'Float64',
  Boolean: 'Bool',
  List: 'String',
};

/** By the variable's own type, whatever it is compared with. */
function boundaryValuesOf(query: ParsedQuery, variable: string): readonly unknown[] {
  const type = listVariables(query).find(({ name }) => name === variable)?.type ?? '';
  const element = /^Array\((.*)\)$/.exec(type)?.[1] ?? type;
  return boundaryValues(legacyTypes[element] ?? element);
}

/**
 * Null for values that a run would refuse. A variable that takes none of its column's values, as where it is a part of
 * what it is compared with, gets one of its own type.
 */
function bindSample(
  query: ParsedQuery,
  chosen: Readonly<Record<string, unknown>>,
): (Omit<Sample, 'isOfData'> & { readonly isAsChosen: boolean }) | null {
  const values: Record<string, unknown> = { ...chosen };
  const tried = new Map<string, number>();
  for (let turn = 0; turn < 4 * Object.keys(values).length; turn += 1) {
    if (Object.values(values).some((value) => value === undefined)) return null;
    try {
      const bound = bindVariables(query, values, 'text');
      return { values: { ...values }, bound, isAsChosen: [...tried.values()].every((n) => n < 2) };
    } catch (error) {
      const name = error instanceof ServiceError ? error.attr?.replace(/^variables\./, '') : null;
      if (name === null || name === undefined || !Object.hasOwn(values, name)) return null;
      const turnOf = tried.get(name) ?? 0;
      tried.set(name, turnOf + 1);
      values[name] =
        turnOf === 0 ? withNumbers(values[name]) : boundaryValuesOf(query, name)[turnOf];
    }
  }
  return null;
}

function withNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNumbers);
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}
