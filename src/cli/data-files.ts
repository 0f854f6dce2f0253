/** The files that a load reads, and their format. */
import { existsSync, statSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { extname } from 'node:path';
import type { LoadFormat } from '../engine/clickhouse/load/load-sql.ts';
import { UsageError } from './usage-error.ts';

export const formatNames = ['csv', 'ndjson', 'parquet', 'arrow'] as const;
export type FormatName = (typeof formatNames)[number];

const engineFormat = {
  csv: 'CSVWithNames',
  ndjson: 'JSONEachRow',
  parquet: 'Parquet',
  arrow: 'Arrow',
} as const satisfies Record<FormatName, LoadFormat>;

const byExtension: Readonly<Record<string, FormatName>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.parquet': 'parquet',
  '.arrow': 'arrow',
  '.feather': 'arrow',
};

/** A file of this name, else those that the pattern matches, by name. Throws a UsageError when there is none. */
export async function findDataFiles(given: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pattern of given) found.push(...(await filesOf(pattern)));
  return [...new Set(found)];
}

async function filesOf(pattern: string): Promise<readonly string[]> {
  const matches: string[] = existsSync(pattern) ? [pattern] : [];
  if (matches.length === 0) for await (const match of glob(pattern)) matches.push(match);
  const files = matches.filter((file) => statSync(file).isFile()).sort();
  if (files.length > 0) return files;
  throw new UsageError(
    matches.length > 0
      ? `${pattern} is a folder. Name its files, as in '${pattern}/*.csv'.`
      : `There is no file ${pattern}.`,
  );
}

/** @param given with --format; else it follows from the extensions. Throws a UsageError when they name none, or differ. */
export function formatOf(files: readonly string[], given: string | undefined): LoadFormat {
  if (given !== undefined) return engineFormat[requireFormatName(given)];
  const formats = new Set(files.map((file) => byExtension[extname(file).toLowerCase()] ?? null));
  const [format = null] = formats;
  if (formats.size > 1) {
    throw new UsageError('The files are of different formats. Load each format by itself.');
  }
  if (format === null) {
    throw new UsageError(
      `The name of ${files[0] ?? ''} does not tell its format. Give --format with ${formatNames.join(', ')}.`,
    );
  }
  return engineFormat[format];
}

function requireFormatName(given: string): FormatName {
  const found = formatNames.find((name) => name === given.toLowerCase());
  if (found !== undefined) return found;
  throw new UsageError(`"${given}" is no format. --format takes ${formatNames.join(', ')}.`);
}

export function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}
