/** How the data graph represents one version of an endpoint, as plain data. */

/** A GraphQL type by name, or a list of one. Nullable unless `nonNull`. */
export type TypeRef =
  | { readonly name: string; readonly nonNull: boolean }
  | { readonly list: TypeRef; readonly nonNull: boolean };

/** A column of the version as a field of its row type. */
export interface ShapeColumn {
  /** Name of the field: `avgDelay`. */
  readonly name: string;
  /** The column's own name: `avg_delay`. */
  readonly source: string;
  /** The column's ClickHouse type, as the engine described it. */
  readonly engineType: string;
  readonly type: TypeRef;
}

/** A variable of the version as an argument of its root field. */
export interface ShapeArgument {
  /** Name of the argument: `lateMinutes`. */
  readonly name: string;
  /** The variable's own name: `late_minutes`. */
  readonly source: string;
  readonly type: TypeRef;
  /** Whether a run without it is refused. Its value may still be null if its type is Nullable. */
  readonly isRequired: boolean;
  /** Undefined when there is none, null when the default is NULL. */
  readonly defaultValue: unknown;
  readonly description: string;
}

/** An object type of a tuple whose elements all have valid GraphQL names. */
export interface ShapeObject {
  /** `AirportDelaysRow_location`. */
  readonly name: string;
  /** In tuple order; `key` is the member's name in the engine's JSON. */
  readonly fields: readonly {
    readonly name: string;
    readonly key: string;
    readonly type: TypeRef;
  }[];
}

export interface ShapeEnum {
  readonly name: string;
  readonly members: readonly string[];
}

export interface GraphShape {
  /** Hash of all the members below except `description`: equal shapes share documents, plans and texts. */
  readonly id: string;
  /** The root field: `airportDelays`. */
  readonly field: string;
  /** `AirportDelaysRun`. */
  readonly runType: string;
  /** `AirportDelaysRow`. */
  readonly rowType: string;
  /** `AirportDelaysOrder`, the input of the argument `orderBy`, and `AirportDelaysColumn`, the enum of `sortable`. */
  readonly orderType: string;
  readonly columnType: string;
  /** Names of the columns that can be sorted by, in order. When empty, the argument and its types do not exist. */
  readonly sortable: readonly string[];
  readonly columns: readonly ShapeColumn[];
  readonly args: readonly ShapeArgument[];
  readonly objects: readonly ShapeObject[];
  readonly enums: readonly ShapeEnum[];
  readonly description: string;
}
