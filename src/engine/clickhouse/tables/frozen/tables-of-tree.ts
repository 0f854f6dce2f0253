/**
 * Which tables a resolved tree reads, and whether it equals the tree of another text that reads copies of them. Pure.
 */
import { OF_PLACE } from '../../../../sql/virtual-columns.ts';

/** A table of a resolved tree. */
export interface TableNode {
  /** Including its database. */
  readonly name: string;
  /** Whether the read needs the table's own engine, as with FINAL. */
  readonly isModified: boolean;
}

const TABLE = /^( *TABLE id: \d+, )(?:alias: .*?, )?table_name: ([^,]*)(.*)$/s;
const CONSTANT = /^( *CONSTANT id: \d+, constant_value: ).*(, constant_value_type: .*)$/s;
const COLUMN = /^ *COLUMN id: \d+, column_name: (.*)$/s;

/** The name under which the engine reads `SELECT 1`. */
export const NO_TABLE = 'system.one';

/** Views that are deeper within others are not followed. */
export const MAX_VIEWS_DEEP = 8;

/** Null when it is unknown what the tree reads. @param lines output of the resolved tree. */
export function tablesOfTree(lines: readonly string[]): readonly TableNode[] | null {
  const tables: TableNode[] = [];
  for (const line of lines) {
    const [, column] = COLUMN.exec(line) ?? [];
    if (column !== undefined && OF_PLACE.test(column)) return null;
    if (!/^ *TABLE id:/.test(line)) continue;
    const [, , name = '', rest = ''] = TABLE.exec(line) ?? [];
    if (!/^[^.]+\.[^.]+$/.test(name)) return null;
    if (name !== NO_TABLE) tables.push({ name, isModified: rest !== '' });
  }
  return tables;
}

/**
 * A form of the tree for comparing two texts: table aliases removed, table names replaced, and values of computed
 * constants removed. The expressions of those constants remain; their values may come from rows.
 */
export function comparableTree(
  lines: readonly string[],
  rename: (table: string) => string,
): string {
  const compared = lines.map((line, at) => {
    const table = TABLE.exec(line);
    if (table !== null) return `${table[1]}${rename(table[2] ?? '')}${table[3]}`;
    const isComputed = lines[at + 1]?.trim() === 'EXPRESSION';
    return isComputed ? line.replace(CONSTANT, '$1$2') : line;
  });
  return compared.join('\n');
}
