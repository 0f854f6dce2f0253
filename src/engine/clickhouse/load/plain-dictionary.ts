/** The types of dictionaries in Arrow, which no table has unless their values are texts. Pure. */
import {
  type ClickHouseType,
  innerType,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';
import type { Column } from '../../query-engine.ts';

/** The column with the types of the values in place of dictionaries of numbers, times and the like. */
export function withPlainDictionaries({ name, type }: Column): Column {
  if (!type.includes('LowCardinality(')) return { name, type };
  return { name, type: typeToText(plain(parseClickHouseType(type))) };
}

function plain(type: ClickHouseType): ClickHouseType {
  if (type.name === 'LowCardinality')
    return /^(?:Fixed)?String$/.test(withoutWrappers(type).name) ? type : innerType(type);
  if (type.args === null) return type;
  const args = type.args.map((arg) =>
    arg.type === null ? arg : { ...arg, type: plain(arg.type) },
  );
  return { ...type, args };
}
