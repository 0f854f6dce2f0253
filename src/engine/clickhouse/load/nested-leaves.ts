/** The types within arrays and tuples of a text file's columns, and their values. Pure. */
import {
  type ClickHouseType,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';

interface Leaf {
  readonly type: string;
  /** An expression of all its texts in a row, as an array. */
  readonly texts: string;
}

const nested = /^(?:Array|Tuple)$/;
const wrapper = /^(?:Array|Tuple|Nullable|LowCardinality)$/;

export function isNested(type: ClickHouseType): boolean {
  return nested.test(withoutWrappers(type).name);
}

/** In the order of `mapLeaves`. @param value an expression of the type, with Nullable(String) for each leaf. */
export function leavesOf(type: ClickHouseType, value: string, depth = 0): readonly Leaf[] {
  const bare = withoutWrappers(type);
  if (!nested.test(bare.name)) return [{ type: typeToText(bare), texts: `[ifNull(${value}, '')]` }];
  const inner = (bare.args ?? []).map((arg) => arg.type);
  if (bare.name === 'Tuple')
    return inner.flatMap((each, at) =>
      each === null ? [] : leavesOf(each, `tupleElement(${value}, ${at + 1})`, depth),
    );
  const element = `_e${depth}`;
  return inner.flatMap((each) =>
    each === null
      ? []
      : leavesOf(each, element, depth + 1).map((leaf) => ({
          ...leaf,
          texts: `arrayFlatten(arrayMap(${element} -> ${leaf.texts}, ${value}))`,
        })),
  );
}

/** The type with other leaves, without their wrappers. */
export function mapLeaves(type: ClickHouseType, toOther: (leaf: string) => string): ClickHouseType {
  if (!wrapper.test(type.name) || type.args === null)
    return parseClickHouseType(toOther(typeToText(type)));
  const args = type.args.map((arg) =>
    arg.type === null ? arg : { ...arg, type: mapLeaves(arg.type, toOther) },
  );
  return { ...type, args };
}
