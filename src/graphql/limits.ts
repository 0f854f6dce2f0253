import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  isObjectType,
  Kind,
  Lexer,
  parse,
  type SelectionSetNode,
  type Source,
  TokenKind,
} from 'graphql';
import { fragmentsOf } from './fragments-of.ts';

/** How large a document may be, whatever its response would be. */
export interface DocumentLimits {
  readonly maxDepth: number;
  readonly maxCost: number;
  readonly maxAliases: number;
  /** Fields that run an endpoint. Runs within the rows of lists are counted during execution. */
  readonly maxRuns: number;
}

/** The depth of the standard introspection query. */
const maxIntrospectionDepth = 18;
/** Rows that a list is assumed to hold when the document states no number. */
const defaultListRows = 100;

/** Rows that a list is assumed to hold when the document states no number, by field name. */
export type ListSizes = ReadonlyMap<string, number>;

/**
 * Covers fields that return pages, or a row for each of their `ids`. A field of another type with the same name counts
 * as one too.
 */
export function listSizes(schema: GraphQLSchema): ListSizes {
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()));
  const isPaged = ({ args }: (typeof fields)[number]) =>
    args.some(({ name }) => pageSizes.has(name) || name === 'ids');
  return new Map(fields.filter(isPaged).map(({ name }) => [name, defaultListRows]));
}

/** Arguments that set the size of a page. */
const pageSizes: ReadonlySet<string> = new Set(['first', 'last']);
/** The same for introspection: roughly the numbers that this schema has. */
const schemaListFields: ListSizes = new Map([
  ['types', 80],
  ['fields', 12],
  ['args', 3],
  ['inputFields', 8],
  ['enumValues', 5],
  ['possibleTypes', 2],
  ['directives', 6],
]);
const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type']);
/** Fields that run an endpoint or a query. */
const runFields: ReadonlySet<string> = new Set(['runEndpoint', 'run', 'runQuery', 'firstRows']);

/** Maximum nesting of brackets, values included; no document within the limits needs more. */
const maxNesting = 200;

/**
 * Throws GRAPHQL_DOCUMENT_TOO_LARGE for a text nested so deep that parsing it, or walking its tree, could exhaust the
 * stack. Runs before the parser, which reports any other fault.
 */
export function requireShallow(source: Source, maxTokens: number): void {
  const lexer = new Lexer(source);
  let depth = 0;
  for (let tokens = 0; tokens < maxTokens; tokens += 1) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    if (opening.has(kind)) depth += 1;
    else if (closing.has(kind)) depth -= 1;
    if (depth > maxNesting)
      throw tooLarge(`A document is nested at most ${maxNesting} levels deep.`);
  }
}

const opening: ReadonlySet<TokenKind> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
]);
const closing: ReadonlySet<TokenKind> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
]);

function tooLarge(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'GRAPHQL_DOCUMENT_TOO_LARGE' } });
}

interface Measure {
  readonly depth: number;
  readonly cost: number;
  readonly aliases: number;
  readonly runs: number;
  /** Depth of introspection, which is measured separately: it is deep and reads no rows. */
  readonly schemaDepth: number;
  readonly schemaCost: number;
}

const nothing: Measure = {
  depth: 0,
  cost: 0,
  aliases: 0,
  runs: 0,
  schemaDepth: 0,
  schemaCost: 0,
};

/**
 * The limits that a document exceeds. Checked before validation, which may cost more. A field costs one point,
 * multiplied below a list by the rows that it may hold: its `first` or `last`, 100 without one, and the maximum of 1000
 * when a variable decides.
 */
export function checkLimits(
  document: DocumentNode,
  limits: DocumentLimits,
  sizes: ListSizes,
): readonly GraphQLError[] {
  const measured = measureDocument(document, sizes);
  const refusals: string[] = [];
  const check = (is: number, atMost: number, sentence: string): void => {
    if (is > atMost) refusals.push(sentence);
  };
  const { maxDepth, maxCost, maxAliases, maxRuns } = limits;
  const { depth, cost, aliases, runs, schemaDepth, schemaCost } = measured;
  check(depth, maxDepth, `The document is ${depth} levels deep; at most ${maxDepth} are accepted.`);
  check(
    cost,
    maxCost,
    `The document costs ${cost} points; at most ${maxCost} are accepted. Ask for fewer rows with first.`,
  );
  check(
    aliases,
    maxAliases,
    `The document has ${aliases} aliases; at most ${maxAliases} are accepted.`,
  );
  check(runs, maxRuns, `The document runs ${runs} endpoints; at most ${maxRuns} are accepted.`);
  check(
    schemaDepth,
    maxIntrospectionDepth,
    `Introspection is at most ${maxIntrospectionDepth} levels deep.`,
  );
  check(schemaCost, maxSchemaCost, 'Introspection asks for more than the schema twice over.');
  return refusals.map(tooLarge);
}

/** Each fragment is measured once, so that nested fragments cannot make measuring costly. */
function measureDocument(document: DocumentNode, sizes: ListSizes): Measure {
  const measure = openMeasure(document, sizes);
  return document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => measure(operation.selectionSet))
    .reduce(widest, nothing);
}

type MeasureSet = (set: SelectionSetNode) => Measure;

function openMeasure(document: DocumentNode, sizes: ListSizes): MeasureSet {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Measure>();
  let ofSchema: MeasureSet | undefined;

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
    return set.selections.reduce((total, selection) => add(total, ofSelection(selection)), nothing);
  }

  function ofSelection(selection: SelectionSetNode['selections'][number]): Measure {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return ofSet(selection.selectionSet);
    const { alias, name, selectionSet } = selection;
    const runs = runFields.has(name.value) ? 1 : 0;
    const own = { ...nothing, depth: 1, cost: 1, aliases: alias === undefined ? 0 : 1, runs };
    if (selectionSet === undefined) return own;
    if (schemaFields.has(name.value)) {
      ofSchema ??= openMeasure(document, schemaListFields);
      const { aliases, depth, cost } = ofSchema(selectionSet);
      const schema = { schemaDepth: depth + 1, schemaCost: cost + 1 };
      return { ...own, ...schema, aliases: own.aliases + aliases };
    }
    const inner = ofSet(selectionSet);
    return {
      ...inner,
      depth: inner.depth + 1,
      cost: 1 + inner.cost * rowsOf(selection, sizes),
      aliases: inner.aliases + own.aliases,
      runs: inner.runs + runs,
    };
  }

  return ofSet;
}

const maxRows = 1000;

function rowsOf(
  field: Extract<SelectionSetNode['selections'][number], { kind: Kind.FIELD }>,
  sizes: ListSizes,
): number {
  const fallback = sizes.get(field.name.value);
  if (fallback === undefined) return 1;
  const size = field.arguments?.find(({ name }) => pageSizes.has(name.value))?.value;
  if (size === undefined || size.kind === Kind.NULL) return fallback;
  if (size.kind !== Kind.INT) return maxRows;
  return Math.min(Math.max(1, Number(size.value)), maxRows);
}

function add(a: Measure, b: Measure): Measure {
  return {
    depth: Math.max(a.depth, b.depth),
    cost: a.cost + b.cost,
    aliases: a.aliases + b.aliases,
    runs: a.runs + b.runs,
    schemaDepth: Math.max(a.schemaDepth, b.schemaDepth),
    schemaCost: a.schemaCost + b.schemaCost,
  };
}

function widest(a: Measure, b: Measure): Measure {
  return {
    depth: Math.max(a.depth, b.depth),
    cost: Math.max(a.cost, b.cost),
    aliases: Math.max(a.aliases, b.aliases),
    runs: Math.max(a.runs, b.runs),
    schemaDepth: Math.max(a.schemaDepth, b.schemaDepth),
    schemaCost: Math.max(a.schemaCost, b.schemaCost),
  };
}

/** Twice the cost of the full introspection query that tools send. */
const maxSchemaCost =
  2 *
  measureDocument(
    parse(
      getIntrospectionQuery({
        schemaDescription: true,
        specifiedByUrl: true,
        inputValueDeprecation: true,
        directiveIsRepeatable: true,
        oneOf: true,
      }),
    ),
    new Map(),
  ).schemaCost;
