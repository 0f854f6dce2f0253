import type { Command } from 'commander';
import type { EngineTable } from '../../engine/query-engine.ts';
import { commandLineActor } from '../../model/actor.ts';
import { requireUnbroken } from '../data/breaking.ts';
import { formatNames } from '../data/data-files.ts';
import { formatBytes, formatCount, print, printJson, printTable } from '../output.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { requireProjectOption, withSession } from '../with-session.ts';
import { load } from './data-load.ts';

interface TablesOptions {
  readonly project: string;
  readonly json?: true;
}

interface DropOptions extends TablesOptions {
  readonly force?: true;
}

export function addDataCommands(program: Command): void {
  const data = program.command('data').description('The tables of a project.');
  addLoad(data);
  data
    .command('tables')
    .description('List the tables of a project.')
    .requiredOption('--project <id or name>', 'whose tables')
    .option('--json', 'print one JSON object: tables')
    .action(tables);
  data
    .command('describe')
    .description('Show one table: its columns with their types, its rows and its size.')
    .argument('<name>', 'the table')
    .requiredOption('--project <id or name>', 'whose table it is')
    .option('--json', 'print one JSON object: name, rows, bytes, columns')
    .action(describe);
  data
    .command('drop')
    .description('Drop a table with all its rows, unless saved endpoints read it.')
    .argument('<name>', 'the table')
    .requiredOption('--project <id or name>', 'whose table it is')
    .option('--force', 'also when saved endpoints read it')
    .option('--json', 'print one JSON object: name, rows')
    .action(drop);
}

function addLoad(data: Command): void {
  const repeated = (given: string, earlier: readonly string[] = []) => [...earlier, given];
  data
    .command('load')
    .description('Load files into a table, whole or not at all. The engine finds the columns.')
    .argument('<files...>', 'files, patterns in quotes, URLs, or - for the standard input')
    .requiredOption('--project <id or name>', 'whose table it is')
    .requiredOption('--table <name>', 'the table; made when it does not exist')
    .option('--format <format>', `${formatNames.join(', ')}; by the extension when absent`)
    .option('--delimiter <character>', 'what separates the fields of a CSV; a comma when absent')
    .option('--encoding <name>', 'of a text: utf-8 when absent, utf-16, latin1, windows-1252 …')
    .option('--null-as <text>', "what an unquoted field of a CSV is for NULL, as in --null-as ''")
    .option(
      '--column <name=type>',
      'a column’s type instead of the one found; may be repeated',
      repeated,
    )
    .option('--order-by <columns>', 'what a new table is sorted by, comma separated')
    .option('--append', 'add the rows to a table that exists')
    .option('--replace', 'replace a table that exists with the rows')
    .option('--force', 'replace it also when saved endpoints would break')
    .option('--json', 'print one JSON object: table, rows, seconds, rows_per_second, columns')
    .action(load);
}

async function tables(options: TablesOptions): Promise<void> {
  await withSession(async (session) => {
    const project = await requireProjectOption(session, options.project);
    await session.openDatabase(project.id);
    const found = await session.engine.tables(project.id);
    if (options.json) return printJson({ tables: found });
    printTable(
      ['TABLE', 'ROWS', 'SIZE', 'COLUMNS'],
      found.map((table) => [
        table.name,
        formatCount(table.rows),
        formatBytes(table.bytes),
        table.columns.map((column) => `${column.name} ${column.type}`).join(', '),
      ]),
      `The project ${project.name} has no table yet. Load one: querydock data load FILE --project ${project.id} --table NAME`,
    );
  });
}

async function describe(name: string, options: TablesOptions): Promise<void> {
  await withSession(async (session) => {
    const { table } = await requireTable(session, name, options);
    if (options.json) return printJson({ ...table });
    print(`${table.name}: ${formatCount(table.rows)} rows, ${formatBytes(table.bytes)}`);
    printTable(
      ['COLUMN', 'TYPE'],
      table.columns.map((column) => [column.name, column.type]),
      '',
    );
  });
}

async function drop(name: string, options: DropOptions): Promise<void> {
  await withSession(async (session) => {
    const { table, projectId } = await requireTable(session, name, options);
    const change = { projectId, table: name, columns: null };
    await requireUnbroken(session, { ...change, force: options.force === true, act: 'drop' });
    await session.tables.drop(projectId, name);
    const before = { table: name, rows: table.rows };
    const by = commandLineActor;
    await session.projects.recordDataChange({
      projectId,
      table: name,
      by,
      action: 'data.dropped',
      before,
    });
    if (options.json) printJson({ name, rows: table.rows });
    else print(`Dropped ${name}, which had ${formatCount(table.rows)} rows.`);
  });
}

async function requireTable(
  session: Session,
  name: string,
  options: TablesOptions,
): Promise<{ readonly table: EngineTable; readonly projectId: number }> {
  const project = await requireProjectOption(session, options.project);
  await session.openDatabase(project.id);
  const all = await session.engine.tables(project.id);
  const table = all.find((one) => one.name === name);
  if (table !== undefined) return { table, projectId: project.id };
  const names = all.map((one) => one.name).join(', ');
  throw new UsageError(
    `The project ${project.name} has no table ${name}.${names === '' ? '' : ` It has ${names}.`}`,
  );
}
