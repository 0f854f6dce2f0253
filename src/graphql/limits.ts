import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';

/** How large a document may be, whatever it would answer. */
export interface DocumentLimits {
  readonly maxDepth: number;
  readonly maxCost: number;
  readonly maxAliases: number;
}

/** What the standard introspection query needs; it is bounded apart, since its depth says nothing of cost. */
const maxIntrospectionDepth = 18;
const listFields: Readonly<Record<string, number>> = {
  versions: 100,
  endpoints: 100,
  endpointVersions: 100,
  apiKeys: 100,
};

interface Measure {
  readonly depth: number;
  readonly cost: number;
  readonly aliases: number;
}

const nothing: Measure = { depth: 0, cost: 0, aliases: 0 };

/**
 * Refuses documents past the limits before anything runs. A field costs a point; below a list every
 * point counts once for each row that the list may hold: its `first` or `last`, 100 when it names none,
 * and the maximum of 1000 when a variable decides.
 */
export function limitRule(limits: DocumentLimits): ValidationRule {
  return (context) => ({
    Document(document) {
      const measured = measureDocument(document);
      const refuse = (message: string): void =>
        context.reportError(
          new GraphQLError(message, { extensions: { code: 'GRAPHQL_DOCUMENT_TOO_LARGE' } }),
        );
      if (measured.depth > limits.maxDepth) {
        refuse(
          `The document is ${measured.depth} levels deep; at most ${limits.maxDepth} are accepted.`,
        );
      }
      if (measured.cost > limits.maxCost) {
        refuse(
          `The document costs ${measured.cost} points; at most ${limits.maxCost} are accepted. Ask for fewer rows with first.`,
        );
      }
      if (measured.aliases > limits.maxAliases) {
        refuse(
          `The document has ${measured.aliases} aliases; at most ${limits.maxAliases} are accepted.`,
        );
      }
      if (measureIntrospection(document) > maxIntrospectionDepth) {
        refuse(`Introspection is at most ${maxIntrospectionDepth} levels deep.`);
      }
    },
  });
}

/** Each fragment is measured once, so that fragments which use each other cannot make measuring costly. */
function measureDocument(document: DocumentNode): Measure {
  const measure = openMeasure(document, (name) => name.startsWith('__'));
  return document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => measure(operation.selectionSet))
    .reduce(widest, nothing);
}

function measureIntrospection(document: DocumentNode): number {
  const measure = openMeasure(document, () => false);
  let depth = 0;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const selection of definition.selectionSet.selections) {
      if (selection.kind !== Kind.FIELD || !selection.name.value.startsWith('__')) continue;
      if (selection.selectionSet !== undefined)
        depth = Math.max(depth, 1 + measure(selection.selectionSet).depth);
    }
  }
  return depth;
}

function openMeasure(
  document: DocumentNode,
  isExempt: (field: string) => boolean,
): (set: SelectionSetNode) => Measure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition);
  }
  const known = new Map<string, Measure>();

  function ofFragment(name: string): Measure {
    const measured = known.get(name);
    if (measured !== undefined) return measured;
    known.set(name, nothing);
    const fragment = fragments.get(name);
    const result = fragment === undefined ? nothing : ofSet(fragment.selectionSet);
    known.set(name, result);
    return result;
  }

  function ofSet(set: SelectionSetNode): Measure {
    let total = nothing;
    for (const selection of set.selections) total = add(total, ofSelection(selection));
    return total;
  }

  function ofSelection(selection: SelectionSetNode['selections'][number]): Measure {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return ofSet(selection.selectionSet);
    const aliases = selection.alias === undefined ? 0 : 1;
    if (isExempt(selection.name.value)) return { depth: 1, cost: 1, aliases };
    if (selection.selectionSet === undefined) return { depth: 1, cost: 1, aliases };
    const inner = ofSet(selection.selectionSet);
    return {
      depth: inner.depth + 1,
      cost: 1 + inner.cost * rowsOf(selection),
      aliases: inner.aliases + aliases,
    };
  }

  return ofSet;
}

const maxRows = 1000;

function rowsOf(
  field: Extract<SelectionSetNode['selections'][number], { kind: Kind.FIELD }>,
): number {
  const fallback = listFields[field.name.value];
  if (fallback === undefined) return 1;
  const size = field.arguments?.find(
    ({ name }) => name.value === 'first' || name.value === 'last',
  )?.value;
  if (size === undefined || size.kind === Kind.NULL) return fallback;
  if (size.kind !== Kind.INT) return maxRows;
  return Math.min(Math.max(1, Number(size.value)), maxRows);
}

function add(a: Measure, b: Measure): Measure {
  return {
    depth: Math.max(a.depth, b.depth),
    cost: a.cost + b.cost,
    aliases: a.aliases + b.aliases,
  };
}

function widest(a: Measure, b: Measure): Measure {
  return {
    depth: Math.max(a.depth, b.depth),
    cost: Math.max(a.cost, b.cost),
    aliases: Math.max(a.aliases, b.aliases),
  };
}
