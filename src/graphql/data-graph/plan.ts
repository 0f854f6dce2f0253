/** What an operation of a valid document runs and writes. It replaces the library's `execute`. */
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import type { GraphShape } from '../../data-graph/shape.ts';
import { collectFields, type Selecting } from '../collect-fields.ts';
import { fragmentsOf } from '../fragments-of.ts';
import type { RootCall } from './run-input.ts';
import { type RunPart, runPartsOf } from './run-parts.ts';

export interface Planner {
  /** Throws a GraphQLError when the document has no such operation, or several when none is named. */
  plan(
    operationName: string | null | undefined,
    variables: Variables,
    kind?: 'query' | 'subscription',
  ): Planned;
}

type Variables = Readonly<Record<string, unknown>>;

export type Planned =
  | ({
      readonly kind: 'planned';
      readonly roots: readonly PlannedRoot[];
    } & Selecting)
  /** Variable values that do not fit their types. */
  | {
      readonly kind: 'refused';
      readonly operation: OperationDefinitionNode;
      readonly errors: readonly GraphQLError[];
    };

/** A field of the root type, in selection order. */
export type PlannedRoot =
  | PlannedRun
  | { readonly kind: 'text'; readonly key: string; readonly text: string }
  /** `__schema` or `__type`. */
  | { readonly kind: 'introspection'; readonly key: string; readonly nodes: readonly FieldNode[] };

export interface PlannedRun extends Omit<RootCall, 'version'> {
  readonly kind: 'run';
  readonly key: string;
  readonly parts: readonly RunPart[];
}

interface Planning {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly shapes: readonly GraphShape[];
}

/** Maximum number of cached combinations of variables in `@skip` and `@include`. */
const maxVariants = 16;
/** The library's limit. */
const maxErrors = 50;

export function openPlanner(planning: Planning): Planner {
  const fragments = fragmentsOf(planning.document);
  let conditions: readonly string[] | undefined;
  const variants = new Map<string, readonly PlannedRoot[]>();
  return {
    plan(operationName, variables, kind = 'query') {
      const operation = operationOf(planning.document, operationName);
      const { coerced, errors } = getVariableValues(
        planning.schema,
        operation.variableDefinitions ?? [],
        variables,
        { maxErrors },
      );
      if (coerced === undefined) return { kind: 'refused', errors, operation };
      requireKind(operation, kind);
      const selecting = { fragments, values: coerced };
      conditions ??= conditionVariables(planning.document);
      const key = `${operation.name?.value ?? ''}/${conditions.map((name) => (coerced[name] === true ? 1 : 0)).join('')}`;
      const known = variants.get(key);
      if (known !== undefined) return { kind: 'planned', roots: known, ...selecting };
      const roots = planRoots(planning, operation, selecting);
      if (variants.size < maxVariants) variants.set(key, roots);
      return { kind: 'planned', roots, ...selecting };
    },
  };
}

/** The messages are the library's. */
function operationOf(
  document: DocumentNode,
  name: string | null | undefined,
): OperationDefinitionNode {
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (name !== null && name !== undefined) {
    const found = operations.find((operation) => operation.name?.value === name);
    if (found === undefined) throw new GraphQLError(`Unknown operation named "${name}".`);
    return found;
  }
  const [only, ...others] = operations;
  if (only === undefined) throw new GraphQLError('Must provide an operation.');
  if (others.length > 0)
    throw new GraphQLError('Must provide operation name if query contains multiple operations.');
  return only;
}

function requireKind(operation: OperationDefinitionNode, kind: string): void {
  if (operation.operation === kind) return;
  throw new GraphQLError(`Schema is not configured to execute ${operation.operation} operation.`, {
    nodes: operation,
  });
}

/** Only these variables decide which fields are selected. */
function conditionVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

function planRoots(
  { schema, shapes }: Planning,
  operation: OperationDefinitionNode,
  selecting: Selecting,
): readonly PlannedRoot[] {
  const root = schema.getRootType(operation.operation);
  return [...collectFields(selecting, [operation.selectionSet])].map(([key, nodes]) => {
    const [node] = nodes;
    const name = node.name.value;
    if (name === '__typename') return { kind: 'text', key, text: JSON.stringify(root?.name) };
    if (name === '__schema' || name === '__type') return { kind: 'introspection', key, nodes };
    const shape = shapes.find((one) => one.field === name);
    const field = root?.getFields()[name];
    if (shape === undefined || field === undefined) return { kind: 'text', key, text: 'null' };
    return { kind: 'run', key, node, shape, field, parts: runPartsOf(selecting, shape, nodes) };
  });
}
