/** Measures the size and cost of a document without executing or validating it. Pure. */
import {
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { addCosts, type Cost, costOf, leastCost, multiplyCost, shareCost } from './cost.ts';
import { fragmentsOf } from './fragments-of.ts';
import { type ListSizes, rowsOf } from './list-rows.ts';

export interface Measure {
  readonly depth: number;
  readonly aliases: number;
  /** Fields that run an endpoint. */
  readonly runs: number;
  /** Depth of introspection, measured separately: it is deep but reads no rows. */
  readonly schemaDepth: number;
  readonly schemaCost: number;
  readonly cost: Cost;
}

export interface MeasuredOperation extends Measure {
  /** Null for an unnamed operation. */
  readonly name: string | null;
  /** Default values of its variables, by name. */
  readonly defaults: ReadonlyMap<string, unknown>;
}

/** The lists of introspection with this schema's approximate sizes. */
const schemaLists: ListSizes = new Map([
  ['types', 80],
  ['fields', 12],
  ['args', 3],
  ['inputFields', 8],
  ['enumValues', 5],
  ['possibleTypes', 2],
  ['directives', 6],
]);
const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type']);
const runFields: ReadonlySet<string> = new Set(['runEndpoint', 'run', 'runQuery', 'firstRows']);

const nothing: Measure = {
  depth: 0,
  aliases: 0,
  runs: 0,
  schemaDepth: 0,
  schemaCost: 0,
  cost: costOf(0),
};

/** What is measured in one schema's documents. */
export interface Measuring {
  readonly lists: ListSizes;
  /** Which fields run an endpoint: fields with certain names, or all root fields. */
  readonly runs: 'named' | 'roots';
}

/**
 * A field costs one point, multiplied by the rows of enclosing lists. `__typename` costs nothing: clients add it to
 * every selection, and it reads nothing.
 */
export function measureDocument(
  document: DocumentNode,
  { lists, runs }: Measuring,
): readonly MeasuredOperation[] {
  const measure = openMeasure(document, lists);
  const countRoots = runs === 'roots' ? openRootCount(document) : null;
  return document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => ({
      ...measure(operation.selectionSet),
      ...(countRoots === null ? {} : { runs: countRoots(operation.selectionSet) }),
      name: operation.name?.value ?? null,
      defaults: defaultsOf(operation),
    }));
}

function defaultsOf({
  variableDefinitions = [],
}: OperationDefinitionNode): ReadonlyMap<string, unknown> {
  return new Map(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined
        ? []
        : [[variable.name.value, valueFromASTUntyped(defaultValue)] as const],
    ),
  );
}

/** Counts the fields of a root selection other than introspection and `__typename`. Each fragment is counted once. */
function openRootCount(document: DocumentNode): (set: SelectionSetNode) => number {
  const fragments = fragmentsOf(document);
  const known = new Map<string, number>();
  const ofFragment = (name: string): number => {
    const counted = known.get(name);
    if (counted !== undefined) return counted;
    known.set(name, 0);
    const set = fragments.get(name)?.selectionSet;
    const result = set === undefined ? 0 : ofSet(set);
    known.set(name, result);
    return result;
  };
  const ofSet = ({ selections }: SelectionSetNode): number =>
    selections.reduce((total, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return total + ofFragment(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return total + ofSet(selection.selectionSet);
      return total + (selection.name.value.startsWith('__') ? 0 : 1);
    }, 0);
  return ofSet;
}

type MeasureSet = (set: SelectionSetNode) => Measure;

/** Each fragment is measured once, so that nested fragments cannot make measuring expensive. */
function openMeasure(document: DocumentNode, lists: ListSizes): MeasureSet {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Measure>();
  let ofSchema: MeasureSet | undefined;

  function ofFragment(name: string): Measure {
    const measured = known.get(name);
    if (measured !== undefined) return measured;
    known.set(name, nothing);
    const fragment = fragments.get(name);
    const inner = fragment === undefined ? nothing : ofSet(fragment.selectionSet);
    const result = { ...inner, cost: shareCost(inner.cost) };
    known.set(name, result);
    return result;
  }

  function ofSet(set: SelectionSetNode): Measure {
    return set.selections.reduce((total, selection) => add(total, ofSelection(selection)), nothing);
  }

  function ofSelection(selection: SelectionSetNode['selections'][number]): Measure {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return ofSet(selection.selectionSet);
    const { alias, name, selectionSet } = selection;
    const own = {
      ...nothing,
      depth: 1,
      aliases: alias === undefined ? 0 : 1,
      runs: runFields.has(name.value) ? 1 : 0,
      cost: costOf(name.value === '__typename' ? 0 : 1),
    };
    if (selectionSet === undefined) return own;
    if (schemaFields.has(name.value)) {
      ofSchema ??= openMeasure(document, schemaLists);
      const { aliases, depth, cost } = ofSchema(selectionSet);
      const schema = { schemaDepth: depth + 1, schemaCost: leastCost(cost) + 1 };
      return { ...own, ...schema, aliases: own.aliases + aliases };
    }
    const inner = ofSet(selectionSet);
    const rows = rowsOf(selection, lists);
    return {
      ...inner,
      depth: inner.depth + 1,
      aliases: inner.aliases + own.aliases,
      runs: inner.runs + own.runs,
      cost: addCosts(own.cost, rows === null ? inner.cost : multiplyCost(inner.cost, rows)),
    };
  }

  return ofSet;
}

function add(a: Measure, b: Measure): Measure {
  return {
    depth: Math.max(a.depth, b.depth),
    aliases: a.aliases + b.aliases,
    runs: a.runs + b.runs,
    schemaDepth: Math.max(a.schemaDepth, b.schemaDepth),
    schemaCost: a.schemaCost + b.schemaCost,
    cost: addCosts(a.cost, b.cost),
  };
}
