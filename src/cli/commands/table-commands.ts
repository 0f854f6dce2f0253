import type { Command } from 'commander';
import type { EngineTable } from '../../engine/engine-table.ts';
import { nearestName } from '../../lib/nearest-name.ts';
import {
  escapeControls,
  formatBytes,
  formatCount,
  print,
  printJson,
  printTable,
} from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { requireProjectOption, withSession } from '../with-session.ts';

export interface TablesOptions {
  readonly project?: string;
  readonly json?: true;
}

export function addTableCommands(program: Command): void {
  program
    .command('tables')
    .description('List the tables that queries of a project can read, or the columns of one table.')
    .argument('[name]', 'a table')
    .option('--project <id or name>', 'id or name of the project; optional if there is only one')
    .option('--json', 'print one JSON object')
    .action((name: string | undefined, options: TablesOptions) =>
      name === undefined ? showTables(options) : showTable(name, options),
    );
}

export function showTables(options: TablesOptions): Promise<void> {
  return withTables(options, (tables, project) => {
    if (options.json) return printJson({ tables });
    printTable(
      ['TABLE', 'ROWS', 'SIZE', 'COLUMNS'],
      tables.map((table) => [
        table.name,
        countOf(table),
        bytesOf(table),
        table.columns.map((column) => `${column.name} ${column.type}`).join(', '),
      ]),
      `The project ${project.name} has no table yet. Load one: querydock data load FILE --project ${project.id} --table NAME`,
    );
  });
}

export function showTable(name: string, options: TablesOptions): Promise<void> {
  return withTables(options, (tables, project) => {
    const table = requireTable(name, project.name, tables);
    if (options.json) return printJson({ table });
    const comment = table.comment === '' ? '' : ` ${escapeControls(table.comment)}`;
    print(`${table.name}: ${countOf(table)} rows, ${bytesOf(table)}.${comment}`);
    printTable(
      ['COLUMN', 'TYPE', 'COMMENT'],
      table.columns.map((column) => [column.name, column.type, column.comment]),
      'It has no columns.',
    );
  });
}

type Show = (
  tables: readonly EngineTable[],
  project: { readonly id: number; readonly name: string },
) => void;

function withTables(options: TablesOptions, show: Show): Promise<void> {
  return withSession(async (session) => {
    const project = await requireProjectOption(session, options.project);
    await session.openDatabase(project.id);
    show(await session.engine.tables(project.id), project);
  });
}

function countOf({ rows }: EngineTable): string {
  return rows === null ? '' : formatCount(rows);
}

function bytesOf({ bytes }: EngineTable): string {
  return bytes === null ? '' : formatBytes(bytes);
}

/** The table with that name. Throws a usage error with the nearest name. */
export function requireTable(
  name: string,
  project: string,
  tables: readonly EngineTable[],
): EngineTable {
  const found = tables.find((table) => table.name === name);
  if (found !== undefined) return found;
  const near = nearestName(
    name,
    tables.map((table) => table.name),
  );
  const hint = near === null ? '' : ` Did you mean ${near}?`;
  throw new UsageError(`The project ${project} has no table ${name}.${hint}`);
}
