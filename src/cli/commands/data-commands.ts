import type { Command } from 'commander';
import { inferColumns, openInference } from '../../engine/clickhouse/load/infer-columns.ts';
import { type LoadFormat, requireTableName } from '../../engine/clickhouse/load/load-sql.ts';
import { type LoadMode, loadTable } from '../../engine/clickhouse/load/load-table.ts';
import type { Column } from '../../engine/query-engine.ts';
import { commandLineActor } from '../../model/actor.ts';
import type { AuditDraft } from '../../store/audit-store.ts';
import { findDataFiles, formatNames, formatOf, sizeOf } from '../data-files.ts';
import { fitToTable, mergeColumns } from '../fit-columns.ts';
import { formatCount, print, printJson } from '../output.ts';
import { noProgress, startProgressBar } from '../progress-bar.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { requireProjectOption, withSession } from '../with-session.ts';
import { showTables } from './table-commands.ts';

interface LoadOptions {
  readonly project?: string;
  readonly table: string;
  readonly format?: string;
  readonly orderBy?: string;
  readonly append?: true;
  readonly replace?: true;
  readonly json?: true;
}

export function addDataCommands(program: Command): void {
  const data = program.command('data').description('The tables of a project.');
  data
    .command('load')
    .description('Load files into a table, whole or not at all. The engine finds the columns.')
    .argument('<files...>', 'files, or patterns in quotes')
    .option('--project <id or name>', 'whose table it is; not needed while there is one')
    .requiredOption('--table <name>', 'the table; made when it does not exist')
    .option('--format <format>', `${formatNames.join(', ')}; by the extension when absent`)
    .option('--order-by <columns>', 'what a new table is sorted by, comma separated')
    .option('--append', 'add the rows to a table that exists')
    .option('--replace', 'replace a table that exists with the rows')
    .option('--json', 'print one JSON object: table, rows, seconds, rows_per_second, columns')
    .action(load);
  data
    .command('tables')
    .description('List the tables of a project.')
    .option('--project <id or name>', 'whose tables; not needed while there is one')
    .option('--json', 'print one JSON object: tables')
    .action(showTables);
}

interface LoadPlan {
  readonly files: readonly string[];
  readonly format: LoadFormat;
  readonly mode: LoadMode;
  readonly orderBy: readonly string[];
}

async function load(given: readonly string[], options: LoadOptions): Promise<void> {
  const plan = await planLoad(given, options);
  await withSession(async (session, signal) => {
    const project = await requireProjectOption(session, options.project);
    await session.openDatabase(project.id);
    const columns = await columnsFor(session, {
      ...plan,
      projectId: project.id,
      table: options.table,
    });
    signal.throwIfAborted();
    const start = options.json ? noProgress : startProgressBar;
    const progress = start(`Loading ${options.table}`, sizeOf(plan.files));
    const began = performance.now();
    const { mode, format, files } = plan;
    const entry = { table: options.table, mode, format, files: files.length };
    await audit(session, { action: 'data.load', projectId: project.id, after: entry });
    const { rows } = await loadTable({
      ...plan,
      source: plan.files,
      connection: session.connection,
      projectId: project.id,
      table: options.table,
      columns,
      onProgress: progress.update,
      signal,
    }).finally(() => progress.end());
    const loaded = { ...entry, rows };
    await audit(session, { action: 'data.loaded', projectId: project.id, after: loaded });
    printLoaded(options, { rows, columns, seconds: (performance.now() - began) / 1000 });
  });
}

/** No transaction spans the engine and the audit log, so there is one entry before a load and one after it. */
function audit(session: Session, done: Pick<AuditDraft, 'action' | 'projectId' | 'after'>) {
  return session.audit.append({ ...done, by: commandLineActor, at: session.clock.now() });
}

/** Checks everything that needs no server. */
async function planLoad(given: readonly string[], options: LoadOptions): Promise<LoadPlan> {
  if (options.append && options.replace)
    throw new UsageError('Give --append or --replace, not both.');
  if (options.append && options.orderBy !== undefined) {
    throw new UsageError(
      'A table that exists keeps its order: leave --order-by out with --append.',
    );
  }
  requireTableName(options.table);
  const files = await findDataFiles(given);
  const orderBy = (options.orderBy ?? '').split(',').map((name) => name.trim());
  return {
    files,
    format: formatOf(files, options.format),
    mode: options.append ? 'append' : options.replace ? 'replace' : 'create',
    orderBy: orderBy.filter((name) => name !== ''),
  };
}

async function columnsFor(
  session: Session,
  plan: LoadPlan & { readonly projectId: number; readonly table: string },
): Promise<readonly Column[]> {
  const existing = (await session.engine.tables(plan.projectId)).find((t) => t.name === plan.table);
  if (plan.mode === 'create' && existing !== undefined) {
    throw new UsageError(
      `There is a table ${plan.table} already. --append adds to it, --replace replaces it.`,
    );
  }
  const columns = await inferAll(session, plan);
  return plan.mode === 'append' && existing !== undefined
    ? fitToTable(columns, existing.columns, plan.format)
    : columns;
}

async function inferAll(session: Session, { files, format }: LoadPlan): Promise<readonly Column[]> {
  const [only, ...more] = files;
  if (only !== undefined && more.length === 0) {
    return inferColumns({ ...session, format, filePath: only });
  }
  const inference = await openInference(session);
  try {
    const found = [];
    for (const file of files) {
      found.push({ file, columns: await inference.columns({ format, filePath: file }) });
    }
    return mergeColumns(found);
  } finally {
    await inference.close();
  }
}

function printLoaded(
  options: LoadOptions,
  loaded: {
    readonly rows: number;
    readonly seconds: number;
    readonly columns: readonly Column[];
  },
): void {
  const { rows, columns } = loaded;
  const seconds = Math.round(loaded.seconds * 1000) / 1000;
  const perSecond = Math.round(rows / Math.max(loaded.seconds, 0.001));
  const { table } = options;
  if (options.json) printJson({ table, rows, seconds, rows_per_second: perSecond, columns });
  else {
    print(
      `Loaded ${formatCount(rows)} rows into ${table} in ${loaded.seconds.toFixed(1)} s (${formatCount(perSecond)} rows/s).`,
    );
  }
}
