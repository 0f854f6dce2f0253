import type { BoundParam } from '../../domain/kept-variable.ts';
import type { MaterializationPlan, PlannedPredicate } from '../../domain/materialization/plan.ts';
import type { ParsedQuery } from '../../domain/query-definition.ts';
import { bindVariables, sampleVariables } from '../../domain/variables.ts';

/** Values of all variables of a query, as a run would bind them. */
export interface Sample {
  /** For people; null: the query's defaults and values of the right types. */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly bound: ReadonlyMap<string, BoundParam>;
}

/** Rows of the stored table's variable columns, in the order of `sampledColumns`. */
export type SampledRows = readonly (readonly unknown[])[];

const maxSamples = 8;

/** Columns that variables filter by. */
export function sampledColumns(plan: MaterializationPlan): readonly string[] {
  return [...new Set(plan.predicates.map((predicate) => predicate.column))];
}

/**
 * Values to compare a materialized version with its inline one by: taken from the stored rows, so that most
 * of them find something, ranges from one row to another, and one of values that may find nothing.
 */
export function chooseSamples(
  query: ParsedQuery,
  plan: MaterializationPlan,
  rows: SampledRows,
): readonly Sample[] {
  const neutral: Sample = { values: null, bound: sampleVariables(query) };
  if (plan.predicates.length === 0) return [neutral];
  const samples: Sample[] = [];
  for (let at = 0; at < 2 * rows.length && samples.length < maxSamples; at += 1) {
    const sample = bindSample(query, valuesAt(plan, rows, at));
    if (sample !== null) samples.push(sample);
  }
  return [...samples, neutral];
}

/** Every second sample takes the ends of its ranges from other rows. */
function valuesAt(
  plan: MaterializationPlan,
  rows: SampledRows,
  at: number,
): Readonly<Record<string, unknown>> {
  const columns = sampledColumns(plan);
  const values: Record<string, unknown> = {};
  const cell = (predicate: PlannedPredicate, row: number): unknown =>
    rows[row % rows.length]?.[columns.indexOf(predicate.column)];
  for (const predicate of plan.predicates) {
    const operator = predicate.operator.toUpperCase();
    const isMixed = at % 2 === 1;
    if (operator.includes('IN')) {
      values[predicate.variable] = [cell(predicate, at), cell(predicate, at + 3)].filter(
        (value) => value !== null,
      );
    } else if (operator.startsWith('>') && isMixed) {
      values[predicate.variable] = cell(predicate, at * 5 + 1);
    } else if (operator.startsWith('<') && isMixed) {
      values[predicate.variable] = cell(predicate, at * 7 + 2);
    } else {
      values[predicate.variable] = cell(predicate, at);
    }
  }
  return values;
}

/** Null for values that a run would refuse, e.g. where a variable is a part of what its column holds. */
function bindSample(query: ParsedQuery, values: Readonly<Record<string, unknown>>): Sample | null {
  for (const given of [values, withNumbers(values)]) {
    if (Object.values(given).some((value) => value === null || value === undefined)) return null;
    try {
      return { values: given, bound: bindVariables(query, given, 'text') };
    } catch {
      // Tried in the other form, or passed over.
    }
  }
  return null;
}

function withNumbers(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const toNumber = (value: unknown): unknown =>
    typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(toNumber) : toNumber(value),
    ]),
  );
}
