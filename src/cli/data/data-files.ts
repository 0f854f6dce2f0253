/** The sources of a load: files, patterns, URLs and standard input; and the format of the data. */
import { existsSync, statSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { basename } from 'node:path';
import { type FormatName, formatNames } from '../../engine/load-formats.ts';
import { UsageError } from '../usage-error.ts';

/** One source, with its name in messages. */
export interface DataSource {
  readonly kind: 'file' | 'pipe' | 'url' | 'stdin';
  /** A path or a URL. */
  readonly at: string;
  /** Without a folder or a URL's credentials. */
  readonly name: string;
}

const byExtension: Readonly<Record<string, FormatName>> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  parquet: 'parquet',
  arrow: 'arrow',
  arrows: 'arrow',
  feather: 'arrow',
};

const compressed = /\.(?:gz|gzip|zst|zstd|bz2|xz|lz4)$/i;

/**
 * The file with this name, else the files that match the pattern, sorted by name. Throws a UsageError when there is
 * none.
 */
export async function findDataSources(given: readonly string[]): Promise<readonly DataSource[]> {
  const found: DataSource[] = [];
  for (const pattern of given) found.push(...(await sourcesOf(pattern)));
  return found.filter(({ at }, index) => found.findIndex((other) => other.at === at) === index);
}

async function sourcesOf(pattern: string): Promise<readonly DataSource[]> {
  if (pattern === '-') return [{ kind: 'stdin', at: '-', name: 'standard input' }];
  if (/^https?:\/\//i.test(pattern)) return [urlSource(pattern)];
  const files = await filesOf(pattern);
  // The pipe of a command has only a number, as in /dev/fd/63.
  const nameOf = (at: string) => (at.startsWith('/dev/fd/') ? at : basename(at));
  return files.map((at) => ({ kind: kindOf(at) ?? 'file', at, name: nameOf(at) }));
}

function urlSource(given: string): DataSource {
  if (!URL.canParse(given)) throw new UsageError(`${given} is not a URL.`);
  const { host, pathname } = new URL(given);
  return { kind: 'url', at: given, name: `${host}${pathname}` };
}

async function filesOf(pattern: string): Promise<readonly string[]> {
  const matches: string[] = existsSync(pattern) ? [pattern] : [];
  if (matches.length === 0) for await (const match of glob(pattern)) matches.push(match);
  const files = matches.filter((file) => kindOf(file) !== null).sort();
  if (files.length > 0) return files;
  const [match] = matches;
  if (match === undefined) throw new UsageError(`There is no file ${pattern}.`);
  throw new UsageError(
    statSync(match).isDirectory()
      ? `${pattern} is a folder. Give its files, as in '${pattern}/*.csv'.`
      : `${pattern} is neither a file nor a pipe.`,
  );
}

/** Null for what cannot be loaded, such as a folder. A pipe can be read only once, from its beginning. */
function kindOf(path: string): 'file' | 'pipe' | null {
  const facts = statSync(path);
  if (facts.isFile()) return 'file';
  return facts.isFIFO() ? 'pipe' : null;
}

/**
 * @param given the --format option; without it the names determine the format. Throws a UsageError when they do not, or
 * differ.
 */
export function formatOf(sources: readonly DataSource[], given: string | undefined): FormatName {
  if (given !== undefined) return requireFormatName(given);
  const formats = new Set(sources.map(({ name }) => formatOfName(name)));
  const [format = null] = formats;
  if (formats.size > 1) {
    throw new UsageError('The files have different formats. Load each format separately.');
  }
  if (format === null) {
    throw new UsageError(
      `The name of ${sources[0]?.name ?? ''} does not indicate a format. Set --format to one of ${formatNames.join(', ')}.`,
    );
  }
  return format;
}

function formatOfName(name: string): FormatName | null {
  const plain = name.replace(compressed, '');
  const extension = /\.([a-z0-9]+)$/i.exec(plain)?.[1]?.toLowerCase() ?? '';
  return byExtension[extension] ?? null;
}

function requireFormatName(given: string): FormatName {
  const found = formatNames.find((name) => name === given.toLowerCase());
  if (found !== undefined) return found;
  throw new UsageError(`"${given}" is not a format. --format takes ${formatNames.join(', ')}.`);
}
