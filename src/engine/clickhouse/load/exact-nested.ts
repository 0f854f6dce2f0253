/** Converts lists, tuples and maps: each value within them arrives as it was written, or not at all. Pure. */
import {
  type ClickHouseType,
  elementTypes,
  innerType,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';
import { quoteText } from '../../../sql/quote-name.ts';
import {
  type Conversion,
  conversions,
  convertLeaf,
  type ExactColumn,
  holdsNull,
  kindOf,
} from './exact-leaves.ts';
import { mapLeaves } from './nested-leaves.ts';

/** For an array or an object of JSON: each value within it arrives as it was written. */
export function exactFromNested(type: ClickHouseType, source: string): ExactColumn {
  const { value, isExact } = convertWithin(type, source, { leaf: jsonLeaf });
  return {
    readAs: readWithin(type),
    value: `CAST(${value}, ${quoteText(typeToText(type))})`,
    isHeld: isExact,
  };
}

/** A member that an object does not have would be read as an empty text, so that texts are read as Nullable. */
function readWithin(type: ClickHouseType): string {
  if (mayGapWithin(type)) return `Nullable(${textOf(typeToText(withoutWrappers(type)))})`;
  if (type.name === 'Map') {
    const [key, item] = elementTypes(type);
    if (key === undefined || item === undefined) return typeToText(type);
    return `Map(${typeToText(mapLeaves(key, textOf))}, ${readWithin(item)})`;
  }
  if (!/^(?:Array|Tuple)$/.test(type.name)) return typeToText(mapLeaves(type, textOf));
  const args = (type.args ?? []).map(({ label, type: inner, text }) => {
    if (inner === null) return text;
    return label === null ? readWithin(inner) : `${label} ${readWithin(inner)}`;
  });
  return `${type.name}(${args.join(', ')})`;
}

function textOf(leaf: string): string {
  return conversions[kindOf(parseClickHouseType(leaf))] === undefined ? leaf : 'String';
}

const mayBeNullable = /^(?:String|FixedString|UUID|IPv4|IPv6|Enum8|Enum16|Bool|Time|Time64)$/;

function mayGapWithin(type: ClickHouseType): boolean {
  return mayBeNullable.test(withoutWrappers(type).name) && !holdsNull(type);
}

/** @param to the type that it becomes, which may be the same. */
type ConvertLeaf = (type: ClickHouseType, source: string, to: ClickHouseType) => Conversion;

interface Within {
  readonly leaf: ConvertLeaf;
  /** Number of enclosing lambdas. */
  readonly depth?: number;
  /** A type that `isAlike`; default the type itself. */
  readonly to?: ClickHouseType;
}

/** Whether values of the type have others within them. */
export function isComposite({ name }: ClickHouseType): boolean {
  return /^(?:Array|Tuple|Map)$/.test(name);
}

/** Whether both have lists, tuples and maps in the same places, and tuples have the same members. */
export function isAlike(type: ClickHouseType, other: ClickHouseType): boolean {
  if (!isComposite(type)) return !isComposite(other);
  const [own, others] = [elementTypes(type), elementTypes(other)];
  if (type.name !== other.name || own.length !== others.length) return false;
  const labelsOf = ({ args }: ClickHouseType) => (args ?? []).map(({ label }) => label).join();
  const isNamed = labelsOf(type).length >= own.length && labelsOf(other).length >= own.length;
  if (isNamed && labelsOf(type) !== labelsOf(other)) return false;
  return own.every((each, at) => isAlike(each, others[at] ?? each));
}

/**
 * Of lists, tuples and maps, which have their own types but other leaves, by a conversion of these.
 *
 * @param source an expression of the value.
 */
export function convertWithin(
  type: ClickHouseType,
  source: string,
  { leaf, depth = 0, to = type }: Within,
): Conversion {
  if (type.name === 'Array') {
    const element = `_e${depth}`;
    const { value, isExact } = convertWithin(innerType(type), element, {
      leaf,
      depth: depth + 1,
      to: innerType(to),
    });
    return {
      value: `arrayMap(${element} -> ${value}, ${source})`,
      isExact: `arrayAll(${element} -> ${isExact}, ${source})`,
    };
  }
  if (type.name === 'Tuple') {
    const others = elementTypes(to);
    const all = elementTypes(type).map((each, at) =>
      convertWithin(each, `tupleElement(${source}, ${at + 1})`, {
        leaf,
        depth,
        to: others[at] ?? each,
      }),
    );
    return {
      value: `tuple(${all.map(({ value }) => value).join(', ')})`,
      isExact: `(${all.map(({ isExact }) => isExact).join(' AND ')})`,
    };
  }
  return type.name === 'Map'
    ? convertMap(type, source, { leaf, depth, to })
    : leaf(type, source, to);
}

function convertMap(
  type: ClickHouseType,
  source: string,
  { leaf, depth, to }: Required<Within>,
): Conversion {
  const [key, item] = elementTypes(type);
  const [toKey, toItem] = elementTypes(to);
  if (key === undefined || item === undefined) return { value: source, isExact: '1' };
  const [name, element] = [`_k${depth}`, `_e${depth}`];
  const keys = convertWithin(key, name, { leaf, depth: depth + 1, to: toKey ?? key });
  const items = convertWithin(item, element, { leaf, depth: depth + 1, to: toItem ?? item });
  const [names, elements] = [`mapKeys(${source})`, `mapValues(${source})`];
  // The key of a map has no NULL; one that could not be converted is refused by `isExact`.
  const value = `mapFromArrays(arrayMap(${name} -> assumeNotNull(${keys.value}), ${names}), arrayMap(${element} -> ${items.value}, ${elements}))`;
  const areKeys = `arrayAll(${name} -> ${keys.isExact}, ${names})`;
  return {
    value,
    isExact: `(${areKeys} AND arrayAll(${element} -> ${items.isExact}, ${elements}))`,
  };
}

function jsonLeaf(type: ClickHouseType, source: string): Conversion {
  return (
    convertLeaf(type, source) ?? {
      value: source,
      isExact: mayGapWithin(type) ? `isNotNull(${source})` : '1',
    }
  );
}
