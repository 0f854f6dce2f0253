/** Whether a table's arrays, tuples and maps hold those that are inferred from JSON. Pure. */
import {
  type ClickHouseType,
  elementTypes,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';

const nested = /^(?:Array|Tuple|Map|Nested|JSON|Object|Variant|Dynamic)$/;

/**
 * Says nothing of NULL and of the values themselves, which the load refuses by row. Lists and objects without content
 * are inferred as texts.
 */
export function holdsInJson(own: ClickHouseType, found: ClickHouseType): boolean {
  const [to, from] = [withoutWrappers(own), withoutWrappers(found)];
  if (typeToText(to) === typeToText(from)) return true;
  const isText = from.name === 'String';
  if (to.name === 'Array')
    return isText || (from.name === 'Array' && holdsAll(elementTypes(to), elementTypes(from)));
  if (to.name === 'Tuple') return isText || (from.name === 'Tuple' && holdsMembers(to, from));
  if (to.name === 'Map') return /^(?:Tuple|Map|String)$/.test(from.name);
  return !nested.test(to.name) && !nested.test(from.name);
}

function holdsMembers(to: ClickHouseType, from: ClickHouseType): boolean {
  return (from.args ?? []).every((member) => {
    const own = (to.args ?? []).find(({ label }) => label !== null && label === member.label);
    if (own === undefined || own.type === null || member.type === null) return false;
    return holdsInJson(own.type, member.type);
  });
}

function holdsAll(to: readonly ClickHouseType[], from: readonly ClickHouseType[]): boolean {
  return from.every((each, at) => {
    const own = to[at];
    return own !== undefined && holdsInJson(own, each);
  });
}
