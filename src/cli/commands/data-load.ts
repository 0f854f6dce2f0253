import type { LoadRequest } from '../../engine/clickhouse/load/load-request.ts';
import { loadTable } from '../../engine/clickhouse/load/load-table.ts';
import type { Column } from '../../engine/query-engine.ts';
import { commandLineActor } from '../../model/actor.ts';
import { recordLoad } from '../../tables/record-load.ts';
import { requireUnbroken } from '../data/breaking.ts';
import {
  type FoundColumns,
  findColumns,
  type LoadOptions,
  type LoadPlan,
  planLoad,
} from '../data/load-plan.ts';
import { openPlainFiles, type PlainFile } from '../data/spool.ts';
import { formatCount, print, printJson } from '../output.ts';
import { noProgress, startProgressBar } from '../progress-bar.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { requireOwnTables, requireProjectOption, withSession } from '../with-session.ts';

export async function load(given: readonly string[], options: LoadOptions): Promise<void> {
  const plan = await planLoad(given, options);
  await withSession(async (session, signal) => {
    const project = await requireProjectOption(session, options.project);
    await requireOwnTables(session, project.id);
    await session.openDatabase(project.id);
    const existing = await requireTarget(session, { ...options, projectId: project.id }, plan);
    const plain = await openPlainFiles(plan.sources, { ...plan, signal });
    try {
      const { files } = plain;
      const found = await findColumns(session, { plan, files, existing });
      signal.throwIfAborted();
      const loading = { plan, files, found, existing, options, projectId: project.id, signal };
      await loadFiles(session, loading);
    } finally {
      await plain.remove();
    }
  });
}

/** The columns of the table; null when it does not exist. */
async function requireTarget(
  session: Session,
  { projectId, table }: { readonly projectId: number; readonly table: string },
  { mode }: LoadPlan,
): Promise<readonly Column[] | null> {
  const existing = (await session.engine.tables(projectId)).find(({ name }) => name === table);
  if (mode === 'create' && existing !== undefined) {
    throw new UsageError(
      `The table ${table} already exists. Use --append to add to it, or --replace to replace it.`,
    );
  }
  return existing?.columns ?? null;
}

interface Loading {
  readonly plan: LoadPlan;
  readonly files: readonly PlainFile[];
  readonly found: FoundColumns;
  /** The columns of the table; null when it does not exist. */
  readonly existing: readonly Column[] | null;
  readonly options: LoadOptions;
  readonly projectId: number;
  readonly signal: AbortSignal;
}

async function loadFiles(session: Session, loading: Loading): Promise<void> {
  const { plan, files, found, options, projectId, signal } = loading;
  const existing = plan.mode === 'append' ? found.columns : loading.existing;
  const { table, force = false } = options;
  const start = options.json ? noProgress : startProgressBar;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const progress = start(`Loading ${table}`, bytes);
  const began = performance.now();
  const about = { mode: plan.mode, format: found.format, files: files.length };
  const change = { projectId, table, columns: found.columns, force, act: 'replace' };
  const names = new Map(files.map(({ path, name }) => [path, name]));
  const request: LoadRequest = {
    ...found,
    csv: plan.csv,
    mode: plan.mode,
    orderBy: plan.orderBy,
    source: files.map(({ path }) => path),
    nameOf: (path) => names.get(path) ?? '',
    connection: session.connection,
    projectId,
    table,
    ...(plan.mode === 'replace' ? { beforeSwap: () => requireUnbroken(session, change) } : {}),
    onProgress: progress.update,
    signal,
    log: session.log,
  };
  const { columns } = found;
  const { rows } = await recordLoad(
    session,
    { projectId, table, by: commandLineActor, existing, about },
    async () => {
      const loaded = await loadTable(request).finally(() => progress.end());
      return { ...loaded, columns };
    },
  );
  printLoaded(options, { rows, columns, seconds: (performance.now() - began) / 1000 });
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
      `Loaded ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'} into ${table} in ${loaded.seconds.toFixed(1)} s (${formatCount(perSecond)} rows/s).`,
    );
  }
}
