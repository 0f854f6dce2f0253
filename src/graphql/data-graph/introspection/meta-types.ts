/** Types as introspection reports them: plain data with the member names of GraphQL's own meta types. */
import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  print,
  TypeKind,
} from 'graphql';

/** A `__Type`. */
export interface MetaType {
  readonly kind: TypeKind;
  readonly name: string | null;
  readonly description: string | null;
  readonly specifiedByURL: string | null;
  readonly fields: readonly MetaField[] | null;
  readonly interfaces: readonly MetaType[] | null;
  readonly possibleTypes: readonly MetaType[] | null;
  readonly enumValues: readonly MetaEnumValue[] | null;
  readonly inputFields: readonly MetaInput[] | null;
  readonly ofType: MetaType | null;
  readonly isOneOf: boolean | null;
  /** Whether it is the same for all endpoints, so that its text is built once. */
  readonly isStatic: boolean;
}

interface Deprecable {
  readonly isDeprecated: boolean;
  readonly deprecationReason: string | null;
}

/** A `__Field`. */
export interface MetaField extends Deprecable {
  readonly name: string;
  readonly description: string | null;
  readonly args: readonly MetaInput[];
  readonly type: MetaType;
  readonly isStatic: boolean;
}

/** An `__InputValue`. */
export interface MetaInput extends Deprecable {
  readonly name: string;
  readonly description: string | null;
  readonly type: MetaType;
  readonly defaultValue: string | null;
}

/** An `__EnumValue`. */
export interface MetaEnumValue extends Deprecable {
  readonly name: string;
  readonly description: string | null;
}

/** A `__Directive`. */
export interface MetaDirective extends Deprecable {
  readonly name: string;
  readonly description: string | null;
  readonly isRepeatable: boolean;
  readonly locations: readonly string[];
  readonly args: readonly MetaInput[];
}

export const notDeprecated: Deprecable = { isDeprecated: false, deprecationReason: null };

/** A type without any optional member. */
export const bareType = {
  description: null,
  specifiedByURL: null,
  fields: null,
  interfaces: null,
  possibleTypes: null,
  enumValues: null,
  inputFields: null,
  ofType: null,
  isOneOf: null,
  isStatic: false,
} as const satisfies Partial<MetaType>;

type Filling = { -readonly [Member in keyof MetaType]: MetaType[Member] };

/** Converts each type of a schema once. Interfaces and unions are not supported, because the data graph has none. */
export interface MetaTypes {
  of(type: GraphQLType): MetaType;
  ofField(field: GraphQLField<unknown, unknown>): MetaField;
  ofDirective(directive: GraphQLDirective): MetaDirective;
}

export function openMetaTypes(): MetaTypes {
  const known: Known = new Map();
  return {
    of: (type) => toMeta(known, type),
    ofField: (field) => toField(known, field),
    ofDirective: (directive) => ({
      ...sharedMembers(directive),
      name: directive.name,
      isRepeatable: directive.isRepeatable,
      locations: directive.locations,
      args: directive.args.map((argument) => toInput(known, argument)),
    }),
  };
}

/** By type reference: `[Int!]`. */
type Known = Map<string, MetaType>;

function toMeta(known: Known, type: GraphQLType): MetaType {
  const key = String(type);
  const found = known.get(key);
  if (found !== undefined) return found;
  const made: Filling = { ...bareType, kind: TypeKind.SCALAR, name: null, isStatic: true };
  // Registered first, because types refer back to themselves.
  known.set(key, made);
  fill(known, made, type);
  return made;
}

function fill(known: Known, made: Filling, type: GraphQLType): void {
  if (isNonNullType(type) || isListType(type)) {
    made.kind = isListType(type) ? TypeKind.LIST : TypeKind.NON_NULL;
    made.ofType = toMeta(known, type.ofType);
    return;
  }
  const named = getNamedType(type);
  made.name = named.name;
  made.description = named.description ?? null;
  if (isScalarType(named)) {
    made.specifiedByURL = named.specifiedByURL ?? null;
  } else if (isObjectType(named)) {
    made.kind = TypeKind.OBJECT;
    made.interfaces = [];
    made.fields = Object.values(named.getFields()).map((field) => toField(known, field));
  } else if (isEnumType(named)) {
    made.kind = TypeKind.ENUM;
    made.enumValues = named
      .getValues()
      .map((value) => ({ ...sharedMembers(value), name: value.name }));
  } else if (isInputObjectType(named)) {
    made.kind = TypeKind.INPUT_OBJECT;
    made.isOneOf = named.isOneOf;
    made.inputFields = Object.values(named.getFields()).map((field) => toInput(known, field));
  } else throw new Error(`Introspection of ${named.name} is not supported.`);
}

function toField(known: Known, field: GraphQLField<unknown, unknown>): MetaField {
  const { name, type } = field;
  const args = field.args.map((argument) => toInput(known, argument));
  return { ...sharedMembers(field), name, args, type: toMeta(known, type), isStatic: true };
}

function toInput(known: Known, input: GraphQLArgument | GraphQLInputField): MetaInput {
  const { name, type, defaultValue } = input;
  const literal = astFromValue(defaultValue, type);
  return {
    ...sharedMembers(input),
    name,
    type: toMeta(known, type),
    defaultValue: literal ? print(literal) : null,
  };
}

function sharedMembers(element: {
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}): Deprecable & { readonly description: string | null } {
  const deprecationReason = element.deprecationReason ?? null;
  return {
    description: element.description ?? null,
    isDeprecated: deprecationReason !== null,
    deprecationReason,
  };
}
