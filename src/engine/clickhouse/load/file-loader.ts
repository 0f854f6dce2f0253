import { invalidInput } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import { readHead } from '../../../lib/plain-file.ts';
import type { LocalEngineLimits } from '../../embedded/config-files.ts';
import type { FileLoad, FileLoader, LoadedFile } from '../../table-loader.ts';
import type { EngineConnection } from '../http/connection.ts';
import { requireDelimiter } from './delimiter.ts';
import { fitToTable } from './fit-to-table.ts';
import { withGivenTypes } from './given-types.ts';
import { isTextFormat } from './load-sql.ts';
import { loadTable } from './load-table.ts';
import { columnsWithoutRows, NoRowsError } from './no-rows.ts';
import { openSharedInference, type SharedInference } from './shared-inference.ts';

interface Deps {
  readonly connection: EngineConnection;
  readonly config: LocalEngineLimits;
  readonly log: Log;
}

export function openFileLoader(deps: Deps): FileLoader {
  const inference = openSharedInference(deps);
  return {
    load: (file) => loadFile({ ...deps, inference }, file),
    close: () => inference.close(),
  };
}

interface OpenDeps extends Deps {
  readonly inference: SharedInference;
}

async function loadFile(
  { connection, inference, log }: OpenDeps,
  file: FileLoad,
): Promise<LoadedFile> {
  const { path, name, format, csv, existing, mode, signal, beforeSwap } = file;
  const given = [...file.types.keys()];
  if (format === 'CSVWithNames') {
    const separator = csv.delimiter === '\t' ? 'tabs' : 'commas';
    const remedy = `Name it in the query parameter delimiter, separate the fields by ${separator}`;
    requireDelimiter(await readHead(path), { delimiter: csv.delimiter, name, remedy });
  }
  const inferred = inference.columns({ format, filePath: path, csv, given, shownAs: name });
  const { own, source } = await inferred.then(
    (columns) => ({ own: columns, source: path }),
    (error: unknown) => {
      if (!(error instanceof NoRowsError)) throw error;
      const known = existing ?? [...file.types].map(([name, type]) => ({ name, type }));
      return { own: columnsWithoutRows(error, { known, mode }), source: [] };
    },
  );
  signal.throwIfAborted();
  const fitted = mode === 'append' && existing !== null ? fitToTable(own, existing, format) : own;
  const columns = withGivenTypes(fitted, file.types, (unknown, names) =>
    invalidInput(
      'types',
      `types has the column ${unknown}, which the data has not. It has ${names.join(', ')}.`,
    ),
  );
  const types = new Map(own.map((column) => [column.name, column.type]));
  const { rows } = await loadTable({
    connection,
    projectId: file.projectId,
    table: file.table,
    mode,
    format,
    csv,
    columns,
    orderBy: file.orderBy,
    ...(isTextFormat(format) ? {} : { fileTypes: new Map([[path, types]]) }),
    source,
    nameOf: () => name,
    ...(beforeSwap === undefined ? {} : { beforeSwap: () => beforeSwap(columns) }),
    signal,
    log,
  });
  return { rows, columns };
}
