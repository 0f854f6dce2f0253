import type { Command } from 'commander';
import { formatNames } from '../../engine/load-formats.ts';
import { commandLineActor } from '../../model/actor.ts';
import { requireUnbroken } from '../data/breaking.ts';
import { formatCount, print, printJson } from '../output.ts';
import { requireOwnTables, requireProjectOption, withSession } from '../with-session.ts';
import { load } from './data-load.ts';
import { requireTable, showTable, showTables, type TablesOptions } from './table-commands.ts';

interface DropOptions extends TablesOptions {
  readonly force?: true;
}

export function addDataCommands(program: Command): void {
  const data = program.command('data').description('The tables of a project.');
  addLoad(data);
  data
    .command('tables')
    .description('List the tables of a project.')
    .option('--project <id or name>', 'whose tables; not needed while there is one')
    .option('--json', 'print one JSON object: tables')
    .action(showTables);
  data
    .command('describe')
    .description('Show one table: its columns with their types, its rows and its size.')
    .argument('<name>', 'the table')
    .option('--project <id or name>', 'whose table it is; not needed while there is one')
    .option('--json', 'print one JSON object: table')
    .action(showTable);
  data
    .command('drop')
    .description('Drop a table with all its rows, unless saved endpoints read it.')
    .argument('<name>', 'the table')
    .option('--project <id or name>', 'whose table it is; not needed while there is one')
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
    .option('--project <id or name>', 'whose table it is; not needed while there is one')
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

async function drop(name: string, options: DropOptions): Promise<void> {
  await withSession(async (session) => {
    const project = await requireProjectOption(session, options.project);
    await requireOwnTables(session, project.id);
    const projectId = project.id;
    await session.openDatabase(projectId);
    const { rows } = requireTable(name, project.name, await session.engine.tables(projectId));
    const change = { projectId, table: name, columns: null };
    await requireUnbroken(session, { ...change, force: options.force === true, act: 'drop' });
    await session.tables.drop(projectId, name);
    await session.projects.recordDataChange({
      projectId,
      table: name,
      by: commandLineActor,
      action: 'data.dropped',
      before: { table: name, rows },
    });
    if (options.json) return printJson({ name, rows });
    print(`Dropped ${name}${rows === null ? '' : `, which had ${formatCount(rows)} rows`}.`);
  });
}
