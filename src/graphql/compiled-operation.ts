/**
 * An operation of a document known at startup, with its fields, arguments and types looked up once. It replaces the
 * library's `execute`, which looks them up for each row of a list. The resolvers are the same.
 */
import {
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { collectFields, setsOf } from './collect-fields.ts';
import type { GatewayContext } from './context.ts';

export interface OperationSource {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Coerced variable values, which decide `@skip` and `@include`. */
  readonly values: Values;
}

/** State shared by all fields of one execution. */
export interface Execution extends OperationSource {
  readonly context: GatewayContext;
}

type Values = Readonly<Record<string, unknown>>;
type Path = GraphQLResolveInfo['path'];
type Complete = (execution: Execution, value: unknown, info: FieldInfo) => unknown;

/** Rejects with the error of the first failing field. */
export type CompiledOperation = (execution: Execution) => Promise<Values>;

/** Throws for a field whose type is an interface or a union. */
export function compileOperation(source: OperationSource): CompiledOperation {
  const { schema, operation } = source;
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`the schema has no ${operation.operation}`);
  const fields = compileFields(source, root, [operation.selectionSet]);
  return async (execution) => {
    if (operation.operation === 'query') return resolveFields(execution, fields);
    const results: Record<string, unknown> = {};
    for (const field of fields) results[field.key] = await resolveField(execution, field);
    return results;
  };
}

interface CompiledField {
  /** Key in the result. */
  readonly key: string;
  readonly parentType: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly complete: Complete;
}

function compileFields(
  source: OperationSource,
  parentType: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): readonly CompiledField[] {
  const defined = parentType.getFields();
  return [...collectFields(source, sets)].map(([key, nodes]) => {
    const { value: name } = nodes[0].name;
    const field = defined[name];
    if (field === undefined) throw new Error(`${parentType.name} has no ${name}`);
    return { key, parentType, field, nodes, complete: completionOf(source, field.type, nodes) };
  });
}

/** Returns the function that converts a resolved value of a type into the result's value. */
function completionOf(
  source: OperationSource,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
): Complete {
  if (isNonNullType(type)) return present(completionOf(source, type.ofType, nodes));
  if (isListType(type)) return completeList(completionOf(source, type.ofType, nodes));
  if (isLeafType(type)) return (_, value) => (value == null ? null : type.serialize(value));
  if (!isObjectType(type)) throw new Error(`${type.name} has more than one type of object`);
  const fields = compileFields(source, type, setsOf(nodes));
  return (execution, value, { path }) =>
    value == null ? null : resolveFields(execution, fields, value, path);
}

function present(complete: Complete): Complete {
  return (execution, value, info) => {
    const completed = complete(execution, value, info);
    if (completed != null) return completed;
    throw new Error(`${info.parentType.name}.${info.fieldName} returned null`);
  };
}

function completeList(complete: Complete): Complete {
  return (execution, value, info) => {
    if (value == null) return null;
    const items = Array.from(value as Iterable<unknown>, (item, key) => {
      const at = info.ofItem(key);
      if (isPromiseLike(item)) return item.then((found) => complete(execution, found, at));
      return complete(execution, item, at);
    });
    return items.some(isPromiseLike) ? Promise.all(items) : items;
  };
}

/** Returns no promise when nothing has to be awaited. */
function resolveFields(
  execution: Execution,
  fields: readonly CompiledField[],
  parent?: unknown,
  path?: Path,
): Values | Promise<Values> {
  const results: Record<string, unknown> = {};
  const pending: PromiseLike<void>[] = [];
  for (const field of fields) {
    const { key } = field;
    const value = resolveField(execution, field, parent, path);
    // Sets the key now, so that the result keeps the selection's order.
    results[key] = value;
    if (isPromiseLike(value))
      pending.push(
        value.then((found) => {
          results[key] = found;
        }),
      );
  }
  return pending.length === 0 ? results : Promise.all(pending).then(() => results);
}

/** A failure becomes a rejected promise, because sibling fields may still be pending. */
function resolveField(
  execution: Execution,
  compiled: CompiledField,
  parent?: unknown,
  path?: Path,
): unknown {
  const { field, nodes, complete } = compiled;
  const info = new FieldInfo(execution, compiled, path);
  try {
    const args =
      field.args.length === 0 ? {} : getArgumentValues(field, nodes[0], execution.values);
    const resolve = field.resolve ?? defaultFieldResolver;
    const value: unknown = resolve(parent, args, execution.context, info);
    if (!isPromiseLike(value)) return complete(execution, value, info);
    return value.then((found) => complete(execution, found, info));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Prisma returns thenables that are not native promises. */
function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
}

/** The resolver's info argument. Expensive members are created on first read, because most resolvers need none. */
class FieldInfo implements GraphQLResolveInfo {
  readonly rootValue = undefined;
  readonly #execution: Execution;
  readonly #compiled: CompiledField;
  readonly #above: Path | undefined;
  /** The index of an item in a list. */
  readonly #key: string | number;
  #path: Path | undefined = undefined;

  constructor(
    execution: Execution,
    compiled: CompiledField,
    above: Path | undefined,
    key: string | number = compiled.key,
  ) {
    this.#execution = execution;
    this.#compiled = compiled;
    this.#above = above;
    this.#key = key;
  }
  ofItem(key: number): FieldInfo {
    return new FieldInfo(this.#execution, this.#compiled, this.path, key);
  }
  get path(): Path {
    const typename = typeof this.#key === 'number' ? undefined : this.parentType.name;
    this.#path ??= { prev: this.#above, key: this.#key, typename };
    return this.#path;
  }
  get fieldName(): string {
    return this.#compiled.field.name;
  }
  get fieldNodes(): readonly FieldNode[] {
    return this.#compiled.nodes;
  }
  get returnType(): GraphQLOutputType {
    return this.#compiled.field.type;
  }
  get parentType(): GraphQLObjectType {
    return this.#compiled.parentType;
  }
  get schema(): GraphQLSchema {
    return this.#execution.schema;
  }
  get fragments(): GraphQLResolveInfo['fragments'] {
    return Object.fromEntries(this.#execution.fragments);
  }
  get operation(): OperationDefinitionNode {
    return this.#execution.operation;
  }
  get variableValues(): Record<string, unknown> {
    return this.#execution.values;
  }
}
