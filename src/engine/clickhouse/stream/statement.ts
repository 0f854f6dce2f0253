/** The text that is sent for a saved query whose rows are written in another format than JSON. Pure. */
import {
  type ClickHouseType,
  parseClickHouseType,
  typeToText,
} from '../../../domain/clickhouse-type.ts';
import { quoteName } from '../../../domain/quote-name.ts';
import type { StreamFormat } from '../../../domain/result-format.ts';
import type { Column } from '../../query-engine.ts';
import { stringForm } from '../plan-statement.ts';
import { binaryForm, holdsNested } from './column-forms.ts';

export interface StreamStatement {
  readonly text: string;
  /** Each name is there once; types are those of the query. */
  readonly columns: readonly Column[];
}

/**
 * The query becomes a subquery whose columns have names by position, and each is selected in the form that the
 * format can carry, under a name that is there once: two columns of one name are lost in an object, and refused
 * by Parquet.
 *
 * @param statement one SELECT without a closing semicolon; it may end with a comment.
 */
export function streamStatement(
  statement: string,
  columns: readonly Column[],
  format: StreamFormat,
): StreamStatement {
  const names = uniqueNames(columns.map(({ name }) => name));
  const positions = columns.map((_column, index) => `c${index}`);
  const selected = columns.map(({ type }, index) => {
    const value = writtenAs(positions[index] ?? '', parseClickHouseType(type), format);
    return `${value} AS ${quoteName(names[index] ?? '')}`;
  });
  return {
    text: `SELECT ${selected.join(', ')} FROM (\n${statement}\n) AS q(${positions.join(', ')})`,
    columns: columns.map(({ type }, index) => ({ name: names[index] ?? '', type })),
  };
}

function writtenAs(position: string, type: ClickHouseType, format: StreamFormat): string {
  switch (format) {
    case 'ndjson':
      return castTo(position, stringForm(type));
    case 'csv':
      // What is nested is written as in JSON; the engine's own form is its SQL, or a column for each element.
      return holdsNested(type) ? `toJSONString(${castTo(position, stringForm(type))})` : position;
    default: {
      const form = binaryForm(type);
      return form === 'json' ? `toJSONString(${position})` : castTo(position, form);
    }
  }
}

function castTo(position: string, type: ClickHouseType | null): string {
  return type === null ? position : `CAST(${position} AS ${typeToText(type)})`;
}

/** A name that was there before gets the first number behind it that makes it a new one. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const given = new Set(names);
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let n = 2; taken.has(unique) || (unique !== name && given.has(unique)); n += 1) {
      unique = `${name}_${n}`;
    }
    taken.add(unique);
    return unique;
  });
}
