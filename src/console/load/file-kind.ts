/** What a file name reveals about its data. Pure. */

/** What the form offers: the service's load formats by name, and CSV with another delimiter. */
export const loadFormats: Readonly<Record<string, string>> = {
  csv: 'CSV with a header',
  'csv;': 'CSV with semicolons',
  tsv: 'TSV with a header',
  ndjson: 'NDJSON',
  json: 'JSON',
  parquet: 'Parquet',
  arrow: 'Arrow',
};

/** As the service takes it. */
export function parametersOf(format: string): Readonly<Record<string, string>> {
  return format === 'csv;' ? { format: 'csv', delimiter: ';' } : { format };
}

const formatOfExtension: Readonly<Record<string, string>> = {
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

const compressed = /\.(?:gz|gzip|zst|zstd|bz2)$/i;

export interface FileKind {
  /** Empty when the name does not reveal it. */
  readonly format: string;
  /** A valid table name; empty when nothing in the file name fits. */
  readonly table: string;
  /** Whether its lines can be shown as text. */
  readonly isPlainText: boolean;
}

export function kindOfFile(name: string): FileKind {
  const plain = name.replace(compressed, '');
  const extension = /\.([a-z0-9]+)$/i.exec(plain)?.[1]?.toLowerCase() ?? '';
  const format = Object.hasOwn(formatOfExtension, extension)
    ? (formatOfExtension[extension] ?? '')
    : '';
  const isText = format !== 'parquet' && format !== 'arrow';
  return { format, table: tableName(plain), isPlainText: isText && plain === name };
}

const mostCharacters = 128;

function tableName(fileName: string): string {
  const words = fileName
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
  return (/^[0-9]/.test(words) ? `t_${words}` : words).slice(0, mostCharacters);
}

/** The service's pattern. */
export const tableNamePattern = '[A-Za-z][A-Za-z0-9_]{0,127}';

/** The line number in a refusal, from 1; null when there is none. */
export function lineOfRefusal(message: string): number | null {
  const found = /\bline (\d{1,9})\b/.exec(message);
  return found === null ? null : Number(found[1]);
}
