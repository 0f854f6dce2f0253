/** 0 and -0 compare as equal, so functions that choose one of equal values may return either. */
import { HOLDS_FLOATS } from '../column-types.ts';
import { refuse } from '../refusal.ts';
import {
  aggregatesOf,
  isAggregate,
  isArrayJoin,
  isWindow,
  ownNodes,
} from './canonical-functions.ts';
import { type Node, partOf } from './canonical-node.ts';
import { isOfTable } from './canonicalize.ts';
import type { PlacedQuery } from './placed-queries.ts';
import type { SubstitutedRead } from './plan-equivalence.ts';
import { type ZeroSource, zeroSources } from './zero-sources.ts';

/** Not functions: clauses that keep one of equal values, and may take 0 and -0 for one value or for two. */
export const DISTINCT = 'DISTINCT';
export const LIMIT_BY = 'LIMIT BY';

export function isClause(call: string | undefined): boolean {
  return call === DISTINCT || call === LIMIT_BY;
}

/** The call's column argument; x for an expression. */
export function argumentOf(call: Node): string {
  const [chosen] = partOf(call, 'ARGUMENTS');
  return chosen?.kind === 'COLUMN' ? chosen.name : 'x';
}

/** The function with its parameters, as in `quantileExact(0.99)`. */
function calledAs(call: Node): string {
  const params = partOf(call, 'PARAMETERS').map(
    ({ detail }) => /^constant_value: U?(?:Int|Float)64_([\d.e-]+), /.exec(detail)?.[1],
  );
  return params.length === 0 || params.includes(undefined)
    ? call.name
    : `${call.name}(${params.join(', ')})`;
}

/** Aggregates that return one of their values, or computed from the one or two that are chosen. */
const CHOOSES_VALUE =
  /^(min|max|groupArraySorted|quantiles?((Exact|BFloat16|Deterministic|InterpolatedWeighted)\w*)?)$/;
const CHOOSES_ROW = /^(argMin|argMax|argAndMin|argAndMax)$/;

/** Whether an aggregate without combinators returns either of values that are equal. */
export function choosesValue(base: string): boolean {
  return CHOOSES_VALUE.test(base);
}

function choosesOne(base: string): boolean {
  return CHOOSES_VALUE.test(base) || CHOOSES_ROW.test(base);
}

const COMBINATORS =
  /(If|Array|OrNull|OrDefault|Distinct|ForEach|Map|MappedArrays|ArgM(in|ax)|Tuple|Resample|SimpleState|State|Merge)*$/;

/** Keys of expressions that are never -0 in a stored table, whose build would have failed: `x` of `x = 0 AND …`. */
export function guardedKeys(columns: SubstitutedRead['columns']): ReadonlySet<string> {
  let nodes = [...columns].flatMap(([name, node]) => (name.startsWith('__z') ? [node] : []));
  for (const name of ['max?', 'throwIf', 'ifNull', 'or?', 'and', 'equals']) {
    const isCall = (node: Node) => node.kind === 'FUNCTION' && node.name === name.replace('?', '');
    const others = name.endsWith('?') ? nodes.filter((node) => !isCall(node)) : [];
    nodes = [...nodes.filter(isCall).flatMap((call) => partOf(call, 'ARGUMENTS')), ...others];
  }
  return new Set(nodes.flatMap(({ kind, key }) => (kind === 'CONSTANT' ? [] : [key])));
}

/**
 * Throws Refusal if a function of the query, excluding its subqueries, may return either 0 or -0.
 *
 * @param guarded keys of expressions that are never -0.
 */
export function requireSignedZeroSafe(
  place: PlacedQuery,
  guarded: ReadonlySet<string> = new Set(),
): void {
  for (const { call, chosen } of floatChoices(place)) {
    if (!isAggregate(call) || !guarded.has(chosen.key)) refuseZero(call);
  }
  for (const { clause, kept } of floatsKept(place.query)) {
    const chosen = clause === LIMIT_BY ? chosenOf(kept) : kept;
    if (!guarded.has(chosen.key)) refuseKept(clause, kept);
  }
}

/** A function or clause that may return either zero, or take both for one value, if its columns hold some numbers. */
export interface ZeroChoice {
  /** As in the query. */
  readonly call: string;
  /** The column that it is applied to, or x. */
  readonly argument: string;
  /** Whether it is applied to a column of a table. */
  readonly isDirect: boolean;
  readonly sources: readonly ZeroSource[];
}

/** Those of the query, excluding its subqueries. Throws Refusal for one that depends on anything other than columns. */
export function zeroChoices(place: PlacedQuery): readonly ZeroChoice[] {
  return [
    ...floatChoices(place).map(({ call, chosen, sources }) => ({
      call: calledAs(call),
      argument: argumentOf(call),
      isDirect: isOfTable(chosen),
      sources: sources ?? refuseZero(call),
    })),
    ...floatsKept(place.query).map(({ clause, kept }) => {
      const chosen = chosenOf(kept);
      const sources = isOfTable(chosen) ? zeroSources(chosen, place) : null;
      return {
        call: clause,
        argument: chosen.name,
        isDirect: true,
        sources: sources ?? refuseKept(clause, kept),
      };
    }),
  ];
}

/** What the greatest or the least is chosen from; anything else itself. */
function chosenOf(node: Node): Node {
  const isChoice = isAggregate(node) && choosesOne(node.name);
  return (isChoice ? partOf(node, 'ARGUMENTS')[0] : undefined) ?? node;
}

interface KeptFloat {
  readonly clause: string;
  readonly kept: Node;
}

/** What DISTINCT and LIMIT BY compare, if it may hold both 0 and -0. */
function floatsKept(query: Node): readonly KeptFloat[] {
  const isDistinct = /is_distinct: 1/.test(query.detail) && !hasOneRowPerGroup(query);
  const distinct = isDistinct ? partOf(query, 'PROJECTION') : [];
  return [
    ...distinct.map((kept) => ({ clause: DISTINCT, kept })),
    ...partOf(query, 'LIMIT BY').map((kept) => ({ clause: LIMIT_BY, kept })),
  ].filter(({ kept }) => HOLDS_FLOATS.test(kept.type) && !isFiniteWithoutZero(kept));
}

/** Whether the query selects all that it groups by, and no numbers of which two may be equal: DISTINCT then changes nothing. */
function hasOneRowPerGroup(query: Node): boolean {
  const items = partOf(query, 'PROJECTION');
  const keys = partOf(query, 'GROUP BY');
  const isGrouped = keys.length > 0 || aggregatesOf(query).length > 0;
  if (!isGrouped || /group_by_type: /.test(query.detail)) return false;
  const multiplies = ownNodes(query).some(isArrayJoin);
  const selected = new Set(items.map(({ key }) => key));
  return !multiplies && keys.every(({ key, type }) => selected.has(key) && !/Float/.test(type));
}

function refuseKept(clause: string, { kind, name }: Node): never {
  const shown = kind === 'COLUMN' ? name : 'x';
  refuse(
    `${clause} of floating point numbers may take 0 and -0, or two NaNs, for one value or for two, depending on the order of the rows; write ifNotFinite(${shown}, 0) + 0, or convert them, as in toDecimal64(${shown}, 4).`,
  );
}

/** `ifNotFinite(x, 0) + 0`. */
function isFiniteWithoutZero(node: Node): boolean {
  return addsZero(node) && partOf(node, 'ARGUMENTS').some(({ name }) => name === 'ifNotFinite');
}

interface FloatChoice {
  readonly call: Node;
  readonly chosen: Node;
  /** Null if it cannot be said from where -0 may come. */
  readonly sources: readonly ZeroSource[] | null;
}

/** The calls that return one of equal values, if their float values may be both 0 and -0. */
function floatChoices(place: PlacedQuery): readonly FloatChoice[] {
  return ownNodes(place.query).flatMap((call) => {
    if (!isAggregate(call) && !isWindow(call)) return [];
    const [chosen] = partOf(call, 'ARGUMENTS');
    requireComparable(call);
    if (chosen === undefined || !choosesOne(call.name.replace(COMBINATORS, ''))) return [];
    const isOfFloats = HOLDS_FLOATS.test(call.name.includes('Map') ? typesOf(call) : chosen.type);
    if (!isOfFloats || call.name.startsWith('arg')) return [];
    const sources = call.name.includes('Map') ? null : zeroSources(chosen, place);
    return sources?.length === 0 ? [] : [{ call, chosen, sources }];
  });
}

function refuseZero(call: Node): never {
  const mixes = `The result of ${call.name} over floating point numbers may be 0 or -0 depending on the order of the rows`;
  if (call.name.endsWith('Merge')) {
    refuse(`${mixes}; let its table store states of decimals, as of toDecimal64(x, 4).`);
  }
  refuse(
    `${mixes}; write ${calledAs(call)}(${argumentOf(call)} + 0), or convert them, as in toDecimal64(${argumentOf(call)}, 4).`,
  );
}

function typesOf(call: Node): string {
  return partOf(call, 'ARGUMENTS')
    .map(({ type }) => type)
    .join();
}

/** The engine orders NULL inside tuples differently when it adds rows and when it merges states. */
function requireComparable(node: Node): void {
  const base = node.name.replace(COMBINATORS, '');
  const type = comparedType(node, base);
  const last = partOf(node, 'ARGUMENTS').at(-1)?.type ?? '';
  if (/[a-z]ArgM(in|ax)/.test(node.name) && /Nullable|Float/.test(last)) {
    refuse(
      `The result of ${node.name} by values that may be NULL or floating point numbers depends on the order of the rows; leave these out of what it compares.`,
    );
  }
  const isNested = /^(Tuple|Array|Map|Variant).*(Nullable|Float)/.test(type);
  if (!isNested || !/^((arg)?(min|max)|groupArraySorted)$/i.test(base)) return;
  refuse(
    `The result of ${node.name} over tuples or arrays that may hold NULL or floating point numbers depends on the order of the rows; leave these out of what it compares.`,
  );
}

/** Of arrays whose elements are compared it is that of the elements, unless they are floating point numbers. */
function comparedType(node: Node, base: string): string {
  const compared = base.startsWith('arg') ? 1 : 0;
  const type = partOf(node, 'ARGUMENTS')[compared]?.type ?? '';
  const levels = node.name.slice(base.length).match(/(?<!Mapped)Array|ForEach/g) ?? [];
  const element = levels.reduce((array) => array.replace(/^Array\((.*)\)$/, '$1'), type);
  return /Float/.test(element) ? type : element;
}

/** `x + 0`, since -0 + 0 is 0. */
function addsZero(node: Node): boolean {
  const [left, right] = partOf(node, 'ARGUMENTS');
  const isZero = (side: Node | undefined) =>
    side?.kind === 'CONSTANT' && /^constant_value: U?Int64_0,/.test(side.detail);
  const isSum = node.name === 'plus' && (isZero(left) || isZero(right));
  return isSum && /^(Nullable\()?Float\d+\)?$/.test(node.type);
}
