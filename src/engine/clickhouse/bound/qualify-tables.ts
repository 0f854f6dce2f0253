/**
 * Resolves tables that a text names without a database, searching the project's databases in order. Tables in later
 * databases get their database written out, because the engine itself only looks in the first one. The engine's
 * unresolved tree shows which names are tables, and afterwards confirms that nothing else changed.
 */
import { ServiceError } from '../../../errors/service-error.ts';
import { storedTablePrefix } from '../../../model/materialization-state.ts';
import { formatParam } from '../../../sql/param-value.ts';
import { attributeOf, readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import type { ProjectPlace } from '../../project-place.ts';
import { readSqlText, type SqlText } from '../guard/parse/sql-text.ts';
import { standsInFrom } from '../guard/parse/tree-names.ts';
import { asAdmin, readRows, type Session } from '../http/session.ts';
import { qualified } from '../load/load-sql.ts';
import { renameTables } from '../tables/frozen/rename-tables.ts';

export interface Qualifying {
  readonly session: Session;
  readonly projectId: number;
  /** The lines of `EXPLAIN QUERY TREE run_passes = 0`. */
  readonly tree: (statement: string) => Promise<readonly string[]>;
}

/** Whether a text may name tables that the first database of its project does not have. */
export function needsDatabases({ isBound, databases }: ProjectPlace, statement: string): boolean {
  return isBound && (databases.length > 1 || statement.includes(storedTablePrefix));
}

/**
 * @param lines lines of the text.
 * @throws ServiceError `invalid_query` when the engine reads a different query once the databases are written out.
 */
export async function qualifyTables(
  qualifying: Qualifying,
  text: SqlText,
  lines: readonly string[],
): Promise<SqlText> {
  const tree = readTree(lines);
  const names = new Set(tree.flatMap(({ node }) => bareTableOf(node) ?? []));
  // A CTE name hides a table only in some places, so such names are left to the engine.
  for (const { node } of tree) for (const name of hiding(node)) names.delete(name);
  const databases = await databasesOf(qualifying, [...names]);
  if (databases.size === 0) return text;
  const written = [...databases].map(([name, of]) => [name, qualified(of, name)] as const);
  const statement = readSqlText(text.statement);
  const named = readSqlText(
    renameTables(statement, { names: new Map(written), isBehindIn: isStoredName }),
  );
  const expected = tree.map(({ line, node }) => renamedLine(line, node, databases));
  const actual = readTree(await qualifying.tree(named.statement)).map(({ line }) => line);
  if (actual.join('\n') !== expected.join('\n')) throw notExact([...databases]);
  return named;
}

interface TreeLine {
  readonly line: string;
  readonly node: TreeNode;
}

/** Empty when the lines are not a tree; later steps report that. */
function readTree(lines: readonly string[]): readonly TreeLine[] {
  const nodes = readQueryTree(lines) ?? [];
  const full = lines.filter((line) => line.trim() !== '');
  return nodes.map((node, at) => ({ node, line: full[at] ?? '' }));
}

/**
 * The name of a table in FROM, or of a stored one behind IN, that is written without a database; null for any other
 * node.
 */
function bareTableOf(node: TreeNode): string | null {
  if (node.kind !== 'IDENTIFIER') return null;
  const name = attributeOf(node, 'identifier');
  return name.includes('.') || !(standsInFrom(node) || isStoredName(name)) ? null : name;
}

const isStoredName = (name: string) => name.startsWith(storedTablePrefix);

/** Names that the engine may also resolve to some other kind of table. */
function hiding(node: TreeNode): readonly string[] {
  const isTable = /^(?:QUERY|UNION|TABLE_FUNCTION)$/.test(node.kind) || standsInFrom(node);
  const alias = isTable ? attributeOf(node, 'alias') : '';
  return alias === bareTableOf(node) ? [] : [attributeOf(node, 'cte_name'), alias];
}

/** The database of each name that is not a table of the first one. */
async function databasesOf(
  { session, projectId }: Qualifying,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { databases, stored } = session.place(projectId);
  const isStored = (name: string) => stored !== null && isStoredName(name);
  const found = new Map<string, string>();
  for (const name of names) if (stored !== null && isStored(name)) found.set(name, stored);
  const wanted = names.filter((name) => !isStored(name));
  if (wanted.length === 0 || databases.length < 2) return found;
  const params = {
    databases: formatParam('Array(String)', databases, 'databases'),
    names: formatParam('Array(String)', wanted, 'names'),
  };
  const sql = `SELECT name, argMin(database, indexOf({databases:Array(String)}, database)) FROM system.tables
    WHERE database IN {databases:Array(String)} AND name IN {names:Array(String)} GROUP BY name`;
  for (const [name, database] of readRows(await asAdmin(session, { sql, params }))) {
    if (database !== databases[0]) found.set(String(name), String(database));
  }
  return found;
}

/** The line expected for this node in the tree of the rewritten text. */
function renamedLine(line: string, node: TreeNode, databases: ReadonlyMap<string, string>): string {
  const name = bareTableOf(node);
  const database = name === null ? undefined : databases.get(name);
  if (name === null || database === undefined) return line;
  const isNamed = standsInFrom(node) && attributeOf(node, 'alias') === '';
  const alias = isNamed ? `alias: ${name}, ` : '';
  return line.replace(/identifier: [^,]*/, () => `${alias}identifier: ${database}.${name}`);
}

/** The error for a name that refers to a table of a later database and to something else as well. */
export function notExact(found: readonly (readonly [string, string])[]): ServiceError {
  const names = found.map(([name, database]) => `${database}.${name}`).join(', ');
  return new ServiceError(
    'invalid_query',
    `The name of a table outside the first database of the project is ambiguous here: qualify it with its database, as in ${names}.`,
    { attr: 'query' },
  );
}
