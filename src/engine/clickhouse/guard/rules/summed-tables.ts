/**
 * FINAL of a SummingMergeTree: of the columns that it sums, the engine reads those that the query names, and leaves out the rows in
 * which these are 0, though a merge keeps them for the others. Found in ClickHouse 26.7 (issue 106125). Pure.
 */
import { parseClickHouseType, withoutWrappers } from '../../../../sql/clickhouse-type.ts';
import { attributeOf, columnOf, type TreeNode, tableNameOf } from '../../../../sql/query-tree.ts';
import type { Column } from '../../../query-engine.ts';
import { type LexedText, plainName, positionOfName } from '../parse/lexed-text.ts';

/** `database.table` of a SummingMergeTree that is read with FINAL → the columns that it sums. */
export type SummedTables = ReadonlyMap<string, readonly string[]>;

/** `database.table` of each table that is read with FINAL. */
export function finalTables(nodes: readonly TreeNode[]): readonly string[] {
  return [...new Set(nodes.filter(isFinal).map(tableNameOf))];
}

function isFinal(node: TreeNode): boolean {
  return node.kind === 'TABLE' && attributeOf(node, 'final') === '1';
}

const NOT_SUMMED =
  /^(?:String|FixedString|UUID|IPv[46]|Date|Date32|DateTime|DateTime64|Time|Time64|Enum8|Enum16|Array|Tuple|JSON|Nothing)$/;
const PATH = String.raw`'(?:[^'\\]|\\.)*'`;
const NAMED = new RegExp(
  String.raw`^\w*SummingMergeTree\((?:${PATH}, ${PATH}(?:, )?)?\(?([^()']*)\)?\)`,
);

/**
 * @param engineFull as `system.tables` has it.
 * @param values the table's columns but for its keys.
 */
export function summedColumns(engineFull: string, values: readonly Column[]): readonly string[] {
  const named = NAMED.exec(engineFull)?.[1] ?? '';
  if (named !== '') return values.flatMap(({ name }) => (isNamed(name, named) ? [name] : []));
  const isSummed = ({ name, type }: Column) =>
    // Nested columns of such a name are summed by their keys.
    /Map\./.test(name) || !NOT_SUMMED.test(withoutWrappers(parseClickHouseType(type)).name);
  return values.filter(isSummed).map(({ name }) => name);
}

/** @param names as the arguments of the engine. A Nested column is named as a whole. */
function isNamed(column: string, names: string): boolean {
  const plain = names.split(', ').map(plainName);
  return plain.some((name) => column === name || column.startsWith(`${name}.`));
}

/**
 * @param nodes nodes of the resolved tree.
 * @returns a sentence for the author, or null when all of them are read.
 */
export function refusalOfSummed(
  nodes: readonly TreeNode[],
  summed: SummedTables,
  lexed: LexedText,
): string | null {
  for (const table of nodes.filter(isFinal)) {
    const columns = summed.get(tableNameOf(table)) ?? [];
    const read = new Set(
      nodes.map(columnOf).flatMap((column) => (column?.source === table.id ? column.name : [])),
    );
    const unread = columns.filter((column) => !read.has(column));
    if (unread.length === 0) continue;
    const name = tableNameOf(table).replace(/^[^.]*\./, '');
    const [first = 'x'] = columns;
    return `FINAL${positionOfName(lexed, 'final')} of ${name}, a SummingMergeTree, needs all of its columns that are summed, since the engine leaves out the rows in which those that are read are 0; read ${unread.join(', ')} as well, or write sum(${first}) … FROM ${name} GROUP BY … without FINAL.`;
  }
  return null;
}
