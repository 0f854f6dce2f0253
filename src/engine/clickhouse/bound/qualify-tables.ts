/**
 * Finds the tables that a text names without a database, in the databases of its project in their order, and writes those of
 * the later ones with their database: the engine itself looks in the first one alone. Its tree of the text before names are
 * resolved shows which names stand for tables, and afterwards that nothing else has become different.
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
 * @param lines of the text.
 * @throws ServiceError `invalid_query` where the engine does not read the same query with the databases written.
 */
export async function qualifyTables(
  qualifying: Qualifying,
  text: SqlText,
  lines: readonly string[],
): Promise<SqlText> {
  const tree = readTree(lines);
  const names = new Set(tree.flatMap(({ node }) => bareTableOf(node) ?? []));
  // A name of WITH hides a table in some places and not in others: what the engine makes of it stays.
  for (const { node } of tree) for (const name of hiding(node)) names.delete(name);
  const databases = await databasesOf(qualifying, [...names]);
  if (databases.size === 0) return text;
  const written = [...databases].map(([name, of]) => [name, qualified(of, name)] as const);
  const statement = readSqlText(text.statement);
  const named = readSqlText(
    renameTables(statement, { database: null, names: new Map(written), isInFrom: true }),
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

/** Empty for what is no tree, of which later steps tell. */
function readTree(lines: readonly string[]): readonly TreeLine[] {
  const nodes = readQueryTree(lines) ?? [];
  const full = lines.filter((line) => line.trim() !== '');
  return nodes.map((node, at) => ({ node, line: full[at] ?? '' }));
}

/** The name of a table in FROM that is written without a database; null for any other node. */
function bareTableOf(node: TreeNode): string | null {
  if (node.kind !== 'IDENTIFIER' || !standsInFrom(node)) return null;
  const name = attributeOf(node, 'identifier');
  return name.includes('.') ? null : name;
}

/** Names under which the engine may know something else as a table. */
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
  const isStored = (name: string) => stored !== null && name.startsWith(storedTablePrefix);
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

/** The line that the tree of the text with databases has in the place of this one. */
function renamedLine(line: string, node: TreeNode, databases: ReadonlyMap<string, string>): string {
  const name = bareTableOf(node);
  const database = name === null ? undefined : databases.get(name);
  if (name === null || database === undefined) return line;
  const alias = attributeOf(node, 'alias') === '' ? `alias: ${name}, ` : '';
  return line.replace(/identifier: [^,]*/, () => `${alias}identifier: ${database}.${name}`);
}

/** Of a text that names tables of later databases, by their names and databases, where the name means something else, too. */
export function notExact(found: readonly (readonly [string, string])[]): ServiceError {
  const names = found.map(([name, database]) => `${database}.${name}`).join(', ');
  return new ServiceError(
    'invalid_query',
    `A table that is not of the project’s first database is named here in a way that may mean something else, too: write it with its database, as ${names}.`,
    { attr: 'query' },
  );
}
