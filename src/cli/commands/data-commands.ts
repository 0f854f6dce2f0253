import type { Command } from 'commander';
import { formatNames } from '../../engine/load-formats.ts';
import { commandLineActor } from '../../model/actor.ts';
import { recordChange } from '../../tables/record-load.ts';
import { requireUnbroken } from '../data/breaking.ts';
import { formatCount, print, printJson } from '../output.ts';
import { requireOwnTables, requireProjectOption, withSession } from '../with-session.ts';
import { load } from './data-load.ts';
import { requireTable, showTable, showTables, type TablesOptions } from './table-commands.ts';

interface DropOptions extends TablesOptions {
  readonly force?: true;
}

export function addDataCommands(program: Command): void {
  const data = program
    .command('data')
    .description('List, show, drop and load the tables of a project.');
  addLoad(data);
  data
    .command('tables')
    .description('List the tables of a project.')
    .option('--project <id or name>', 'id or name of the project; optional if there is only one')
    .option('--json', 'print one JSON object: tables')
    .action(showTables);
  data
    .command('describe')
    .description('Show one table: its columns with their types, its rows and its size.')
    .argument('<name>', 'the table')
    .option('--project <id or name>', 'id or name of the project; optional if there is only one')
    .option('--json', 'print one JSON object: table')
    .action(showTable);
  data
    .command('drop')
    .description('Drop a table with all its rows. Refused if saved endpoints read it.')
    .argument('<name>', 'the table')
    .option('--project <id or name>', 'id or name of the project; optional if there is only one')
    .option('--force', 'drop it even if saved endpoints read it')
    .option('--json', 'print one JSON object: name, rows')
    .action(drop);
}

function addLoad(data: Command): void {
  const repeated = (given: string, earlier: readonly string[] = []) => [...earlier, given];
  data
    .command('load')
    .description('Load files into a table atomically. The engine infers the columns.')
    .argument('<files...>', 'files, quoted patterns, URLs, or - for standard input')
    .option('--project <id or name>', 'id or name of the project; optional if there is only one')
    .requiredOption('--table <name>', 'the table; created if it does not exist')
    .option('--format <format>', `${formatNames.join(', ')}; default: by file extension`)
    .option('--delimiter <character>', 'field separator of CSV; default: a comma')
    .option(
      '--encoding <name>',
      'encoding of text formats: utf-8 (default), utf-16, latin1, windows-1252 …',
    )
    .option('--null-as <text>', "an unquoted CSV field that means NULL, as in --null-as ''")
    .option(
      '--column <name=type>',
      'type of a column, instead of the inferred one; repeatable',
      repeated,
    )
    .option('--order-by <columns>', 'columns by which a new table is sorted, separated by commas')
    .option('--append', 'append the rows to an existing table')
    .option('--replace', 'replace an existing table with the rows')
    .option('--force', 'replace it even if that breaks saved endpoints')
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
    await recordChange(
      session,
      {
        projectId,
        table: name,
        by: commandLineActor,
        action: 'data.dropped',
        before: { table: name, rows },
      },
      `The table ${name} is dropped. That could not be recorded, so results of its rows may be served until they expire.`,
    );
    if (options.json) return printJson({ name, rows });
    print(`Dropped ${name}${rows === null ? '' : `, which had ${formatCount(rows)} rows`}.`);
  });
}
