/** Limits on the size and cost of documents. */
import {
  type DocumentNode,
  GraphQLError,
  getIntrospectionQuery,
  Kind,
  Lexer,
  parse,
  type Source,
  TokenKind,
} from 'graphql';
import { evaluateCost, leastCost } from './cost.ts';
import {
  type Measure,
  type MeasuredOperation,
  type Measuring,
  measureDocument,
} from './measure-document.ts';
import type { Executed } from './prepare-run.ts';

/** Maximum size of a document, independent of its response. */
export interface DocumentLimits {
  readonly maxDepth: number;
  readonly maxCost: number;
  readonly maxAliases: number;
  /** Fields that run an endpoint. Runs within list rows are counted during execution. */
  readonly maxRuns: number;
}

export interface LimitChecks {
  /** The limits that the document exceeds for any variable values. Checked before validation, which may cost more. */
  refusalsOf(document: DocumentNode): readonly GraphQLError[];
  /** The error if the operation costs too much for its variable values, or null. */
  refusalOfCost(executed: Executed): GraphQLError | null;
}

/** Each document is measured once while it is cached. */
export function openLimitChecks(limits: DocumentLimits, measuring: Measuring): LimitChecks {
  const known = new WeakMap<DocumentNode, Measured>();
  const measure = (document: DocumentNode): Measured => {
    const found = known.get(document);
    if (found !== undefined) return found;
    const operations = measureDocument(document, measuring);
    const refusals = [...refusalOfFragments(document), ...refusalsOf(operations, limits)];
    const measured = { operations, refusals };
    known.set(document, measured);
    return measured;
  };
  return {
    refusalsOf: (document) => measure(document).refusals,
    refusalOfCost({ document, operationName, variables }) {
      const operation = operationOf(measure(document), operationName);
      if (operation === undefined || operation.cost.parts.length === 0) return null;
      const { cost, defaults } = operation;
      const points = evaluateCost(cost, (name) =>
        Object.hasOwn(variables, name) ? variables[name] : defaults.get(name),
      );
      return points > limits.maxCost ? tooCostly(points, limits) : null;
    },
  };
}

/** Validation compares fragments with each other, so their number counts more than their size. */
const maxFragments = 100;

function refusalOfFragments({ definitions }: DocumentNode): readonly GraphQLError[] {
  const count = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  if (count <= maxFragments) return [];
  return [tooLarge(`The document has ${count} fragments; at most ${maxFragments} are accepted.`)];
}

interface Measured {
  readonly operations: readonly MeasuredOperation[];
  readonly refusals: readonly GraphQLError[];
}

/** Undefined when the request names none of them, which execution refuses. */
function operationOf(
  { operations }: Measured,
  operationName: Executed['operationName'],
): MeasuredOperation | undefined {
  if (typeof operationName === 'string')
    return operations.find(({ name }) => name === operationName);
  return operations.length === 1 ? operations[0] : undefined;
}

/** The depth of the standard introspection query. */
const maxIntrospectionDepth = 18;

/** Maximum nesting of brackets, including values; no document within the limits needs more. */
const maxNesting = 200;

/**
 * Throws GRAPHQL_DOCUMENT_TOO_LARGE for a text nested so deeply that parsing it, or walking its tree, could exhaust the
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
      throw tooLarge(`The document is nested more than ${maxNesting} levels deep.`);
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

function refusalsOf(
  operations: readonly MeasuredOperation[],
  limits: DocumentLimits,
): readonly GraphQLError[] {
  const most = (read: (measured: Measure) => number): number =>
    operations.reduce((widest, operation) => Math.max(widest, read(operation)), 0);
  const depth = most((measured) => measured.depth);
  const cost = most((measured) => leastCost(measured.cost));
  const aliases = most((measured) => measured.aliases);
  const runs = most((measured) => measured.runs);
  const { maxDepth, maxCost, maxAliases, maxRuns } = limits;
  const refusals: GraphQLError[] = [];
  const check = (is: number, atMost: number, refusal: () => GraphQLError): void => {
    if (is > atMost) refusals.push(refusal());
  };
  check(depth, maxDepth, () =>
    tooLarge(`The document is ${depth} levels deep; at most ${maxDepth} are accepted.`),
  );
  check(cost, maxCost, () => tooCostly(cost, limits));
  check(aliases, maxAliases, () =>
    tooLarge(`The document has ${aliases} aliases; at most ${maxAliases} are accepted.`),
  );
  check(runs, maxRuns, () =>
    tooLarge(`The document runs ${runs} endpoints; at most ${maxRuns} are accepted.`),
  );
  check(
    most((measured) => measured.schemaDepth),
    maxIntrospectionDepth,
    () => tooLarge(`Introspection may be at most ${maxIntrospectionDepth} levels deep.`),
  );
  check(
    most((measured) => measured.schemaCost),
    maxSchemaCost,
    () => tooLarge('Introspection requests more than twice the size of the schema.'),
  );
  return refusals;
}

function tooCostly(points: number, { maxCost }: DocumentLimits): GraphQLError {
  return tooLarge(
    `The document costs ${points} points; at most ${maxCost} are accepted. Request fewer rows with first.`,
  );
}

export function tooLarge(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'GRAPHQL_DOCUMENT_TOO_LARGE' } });
}

/** Twice the cost of the tools' full introspection query. */
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
    { lists: new Map(), runs: 'named' },
  ).reduce((total, { schemaCost }) => total + schemaCost, 0);
