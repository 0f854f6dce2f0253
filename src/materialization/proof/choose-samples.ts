/** Chooses the samples (values of variables) for which a stored table is compared with its query. Pure. */
import { ServiceError } from '../../errors/service-error.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';
import type { BoundParam } from '../../query/legacy-variable.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import { bindVariables, listVariables, sampleVariables } from '../../query/variables.ts';
import { boundaryValues, compareValues, nextValue } from './boundary-values.ts';
import { type SampledData, type SampledVariable, sampledVariables } from './sampled-variables.ts';

/** Values of all variables of a query, as a run would bind them. */
export interface Sample {
  /** For messages; null for the query's defaults and type-correct values. */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly bound: ReadonlyMap<string, BoundParam>;
  /**
   * Whether the values occur in the data. For other values, whether the query fails may depend on the order in which
   * predicates are evaluated.
   */
  readonly isOfData: boolean;
  /** Whether all variables that no column provides values for have their own defaults, as in most runs. */
  readonly isUsual?: boolean;
}

interface Choice {
  /** @param at index of the variable. */
  readonly choose: (variable: SampledVariable, at: number) => unknown;
  readonly isOfData: boolean;
}

const rowChoices = 6;
const boundaryChoices = 6;
const literalChoices = 3;
const usualChoices = 3;

/**
 * Most informative first: all rows, one value, no rows. Then other values of the data, both ends, sets with a
 * duplicate or without elements, values no row has, and boundary values of the types. Usual ones are last.
 */
export function chooseSamples(
  query: ParsedQuery,
  plan: MaterializationPlan,
  data: SampledData,
): readonly Sample[] {
  const hasNone = listVariables(query).length === 0;
  const neutral: Sample = { values: null, bound: sampleVariables(query), isOfData: hasNone };
  if (hasNone) return [neutral];
  const variables = sampledVariables(query, plan, data);
  const all = variables.flat();
  const samples = bindChoices(query, variables, [
    ...choices,
    ...(all.some(({ leftOut }) => leftOut !== undefined) ? optionalChoices : []),
    ...(all.some(({ literals }) => literals.length > 0) ? literalsChoices : []),
    ...(all.some(isFreeText) ? textChoices([...timeTexts, ...numberTexts, ...data.members]) : []),
  ]);
  const isUsual = listVariables(query).every(({ required }) => !required);
  // Whether a query fails for a default says nothing about the data.
  const usual = chooseTypicalSamples(query, plan, data)
    .slice(0, usualChoices)
    .map((each) => ({ ...each, isOfData: false, isUsual: true }));
  return distinct([...samples, { ...neutral, isUsual }, ...usual]);
}

/**
 * Values that callers are likely to use: those of rows, and the defaults of variables that are compared with no
 * column. Empty if such a variable has no default.
 */
export function chooseTypicalSamples(
  query: ParsedQuery,
  plan: MaterializationPlan,
  data: SampledData,
): readonly Sample[] {
  const variables = sampledVariables(query, plan, data).filter((uses) =>
    uses.every(({ isFree }) => !isFree),
  );
  const typical = choices.filter(({ isOfData }) => isOfData);
  return distinct(bindChoices(query, variables, typical).filter(({ isOfData }) => isOfData));
}

function bindChoices(
  query: ParsedQuery,
  variables: readonly (readonly SampledVariable[])[],
  made: readonly Choice[],
): readonly Sample[] {
  return made.flatMap((choice, turn) => {
    // Moves on after every two choices, so that each column a variable is compared with contributes values of every
    // kind.
    const chosen = variables.flatMap((uses) => uses[Math.floor(turn / 2) % uses.length] ?? []);
    return bindSample(query, chosen, choice) ?? [];
  });
}

function distinct(samples: readonly Sample[]): readonly Sample[] {
  const keyOf = ({ bound }: Sample) => JSON.stringify([...bound]);
  const firsts = new Map(samples.toReversed().map((each) => [keyOf(each), each]));
  return samples.filter((sample) => firsts.get(keyOf(sample)) === sample);
}

const ofData = (choose: Choice['choose']): Choice => ({ choose, isOfData: true });
const invented = (choose: Choice['choose']): Choice => ({ choose, isOfData: false });

const choices: readonly Choice[] = [
  ofData(allRows),
  ofData((variable) => oneValue(variable, 1)),
  invented(noRows),
  ...Array.from({ length: rowChoices }, (_none, at) =>
    ofData((variable) => (at % 2 === 0 ? between(variable, at) : oneValue(variable, at + 1))),
  ),
  invented(absent),
  ofData((variable) => atEnd(variable, variable.lowest)),
  ofData((variable) => atEnd(variable, variable.highest)),
  ofData(twice),
  invented(gap),
  invented((variable) => outside(variable, 1)),
  invented((variable) => outside(variable, -1)),
  ...Array.from({ length: boundaryChoices }, (_none, at) =>
    invented((variable) => boundary(variable, at)),
  ),
  invented(() => null),
];

const isLeftOut = ({ leftOut }: SampledVariable) => leftOut !== undefined;

/** Optional predicates, which callers may omit: all of them, then every other one. */
const optionalChoices: readonly Choice[] = [
  ofData((variable) => (isLeftOut(variable) ? variable.leftOut : allRows(variable))),
  ...[0, 1].map((parity) =>
    ofData((variable, at) =>
      isLeftOut(variable) && at % 2 === parity ? variable.leftOut : oneValue(variable, at),
    ),
  ),
];

/** A String used outside the predicates of WHERE may have to be a time, a number or an enum member. */
const isFreeText = ({ isFree, type }: SampledVariable) => isFree && /\bString$/.test(type);
const timeTexts = ['2001-01-01', '2013-07-15', '2024-06-15'];
const numberTexts = ['1', '30'];
const textChoices = (texts: readonly string[]) =>
  texts.map((text) =>
    invented((variable, at) =>
      isFreeText(variable) ? listed(variable, [text]) : oneValue(variable, at),
    ),
  );

/** Literals that occur in the predicates. */
const literalsChoices = Array.from({ length: literalChoices }, (_none, turn) =>
  invented((variable) => {
    const { literals } = variable;
    if (literals.length === 0) return oneValue(variable, turn);
    return listed(variable, [literals[turn % literals.length]]);
  }),
);

function listed({ isList }: SampledVariable, values: readonly unknown[], nth = 0): unknown {
  return isList ? values : values[nth % values.length];
}

/** Selects all rows, as far as the operator allows. */
function allRows(variable: SampledVariable): unknown {
  const { role, type, lowest, highest, valueAt, nth, isExclusive } = variable;
  if (role === 'lower') return isExclusive ? (nextValue(type, lowest, -1) ?? lowest) : lowest;
  if (role === 'upper') return isExclusive ? (nextValue(type, highest, 1) ?? highest) : highest;
  if (role === 'in') return listed(variable, [valueAt(0), valueAt(3), valueAt(5)], nth);
  if (role === 'other') return listed(variable, [missing(variable) ?? valueAt(1)], nth);
  if (role === 'text') return '';
  return role === 'pattern' ? '%' : valueAt(0);
}

/** For ranges, both ends are the same value. */
function oneValue(variable: SampledVariable, row: number): unknown {
  return listed(variable, [variable.valueAt(row)]);
}

function noRows(variable: SampledVariable): unknown {
  const { role, type, lowest, highest, isExclusive, hasOtherEnd, isList } = variable;
  const isEmpty = isExclusive || hasOtherEnd;
  if (role === 'lower') return isEmpty ? highest : nextValue(type, highest, 1);
  if (role === 'upper') return isEmpty ? lowest : nextValue(type, lowest, -1);
  if (role === 'in' && isList) return [];
  return role === 'other' ? oneValue(variable, 0) : missing(variable);
}

/** A range between the values of two rows. */
function between(variable: SampledVariable, row: number): unknown {
  const { role, valueAt, nth } = variable;
  const ends = [valueAt(row), valueAt(2 * row + 1)].toSorted(compareValues);
  if (role === 'lower') return ends[0];
  if (role === 'upper') return ends[1];
  if (role === 'pattern') return `${String(valueAt(row)).slice(0, 2)}%`;
  if (role === 'text') return String(valueAt(row)).slice(...(row % 4 === 0 ? [0, 2] : [-2]));
  if (role === 'equal') return valueAt(row + 3 * nth);
  return listed(variable, [valueAt(row), valueAt(row + 3)], nth);
}

function missing({ type, highest }: SampledVariable): unknown {
  return nextValue(type, highest, 1);
}

function absent(variable: SampledVariable): unknown {
  const { role, valueAt, nth } = variable;
  if (role === 'lower' || role === 'upper') return allRows(variable);
  if (role === 'in') return listed(variable, [missing(variable), valueAt(0)], nth);
  return listed(variable, [missing(variable)]);
}

function atEnd(variable: SampledVariable, end: unknown): unknown {
  return variable.role === 'pattern' ? `%${String(end).slice(-1)}` : listed(variable, [end]);
}

function twice(variable: SampledVariable): unknown {
  const { role, valueAt } = variable;
  if (role === 'in' || role === 'other') return listed(variable, [valueAt(0), valueAt(0)]);
  return role === 'equal' ? valueAt(0) : between(variable, 1);
}

/** A range just above the lowest value, which often has no rows. */
function gap(variable: SampledVariable): unknown {
  const { role, type, lowest } = variable;
  return role === 'lower' || role === 'upper' ? nextValue(type, lowest, 1) : allRows(variable);
}

/** A range that starts beyond one end. */
function outside(variable: SampledVariable, step: 1 | -1): unknown {
  const { type, lowest, highest } = variable;
  return listed(variable, [nextValue(type, step > 0 ? highest : lowest, step)]);
}

function boundary({ type, isList, ownValues }: SampledVariable, at: number): unknown {
  const values = /Enum/.test(type) ? boundaryValues(type) : ownValues;
  if (values.length === 0) return undefined;
  const value = values[at % values.length];
  return isList ? [value] : value;
}

/**
 * Null if a run would reject the values. A variable that accepts none of its column's values, for example because it
 * is only part of the compared expression, gets a value of its own type.
 */
function bindSample(
  query: ParsedQuery,
  variables: readonly SampledVariable[],
  { choose, isOfData }: Choice,
): Sample | null {
  const values = Object.fromEntries(variables.map((each, at) => [each.name, choose(each, at)]));
  const attempts = new Map<string, number>();
  for (let turn = 0; turn <= 4 * variables.length; turn += 1) {
    if (Object.values(values).some((value) => value === undefined)) return null;
    try {
      const bound = bindVariables(query, values, 'text');
      const isFree = variables.some((variable) => variable.isFree);
      const isAsChosen = !isFree && [...attempts.values()].every((count) => count < 2);
      return { values: { ...values }, bound, isOfData: isOfData && isAsChosen };
    } catch (error) {
      const name = error instanceof ServiceError ? error.attr?.replace(/^variables\./, '') : null;
      const refused = variables.find((variable) => variable.name === name);
      if (refused === undefined) return null;
      const attempt = attempts.get(refused.name) ?? 0;
      attempts.set(refused.name, attempt + 1);
      values[refused.name] =
        attempt === 0 ? withNumbers(values[refused.name]) : refused.ownValues[attempt];
    }
  }
  return null;
}

function withNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNumbers);
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}
