/** How the rows of an upload are read, and the table that they form. Pure. */
import { type FormatName, parseDelimiter } from '../engine/load-formats.ts';
import type { FileLoad } from '../engine/table-loader.ts';
import { invalidInput } from '../errors/service-error.ts';
import { parsePlainJson } from '../lib/plain-json.ts';
import type { UploadMode } from './upload-type.ts';

/** As the caller gives them; absent for the defaults of the format. */
export interface LoadOptions {
  /** One character, or `tab`. CSV and TSV alone. */
  readonly delimiter?: string | undefined;
  /** The text of a field that is NULL. CSV and TSV alone. */
  readonly nullAs?: string | undefined;
  /** A JSON object with the ClickHouse types of columns. */
  readonly types?: string | undefined;
  /** Names of the columns by which the new table is sorted. */
  readonly orderBy?: readonly string[] | undefined;
}

export type ParsedLoadOptions = Pick<FileLoad, 'csv' | 'types' | 'orderBy'>;

/** Throws `invalid_input` with the name of the option. */
export function parseLoadOptions(
  options: LoadOptions,
  { format, mode }: { readonly format: FormatName; readonly mode: UploadMode },
): ParsedLoadOptions {
  const { delimiter, nullAs, types } = options;
  const orderBy = (options.orderBy ?? []).filter((name) => name !== '');
  const isCsv = format === 'csv' || format === 'tsv';
  for (const [name, value] of Object.entries({ delimiter, null_as: nullAs })) {
    if (isCsv || value === undefined) continue;
    throw invalidInput(name, `${name} applies to CSV and TSV only, not to ${format}.`);
  }
  if (mode === 'append' && orderBy.length > 0) {
    const detail =
      'order_by sorts a table that is created or replaced; with mode=append it keeps its order.';
    throw invalidInput('order_by', detail);
  }
  const separator = parseDelimiter(format, delimiter);
  if (separator === null) {
    throw invalidInput(
      'delimiter',
      'delimiter must be one character other than a letter, a digit, _ or ", or tab. In a URL write %3B for a semicolon and %7C for a vertical bar.',
    );
  }
  return { csv: { delimiter: separator, nullAs }, types: parseTypes(types), orderBy };
}

function parseTypes(text: string | undefined): ReadonlyMap<string, string> {
  if (text === undefined) return new Map();
  const value = parsePlainJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isObject ? Object.entries(value) : [];
  const isTyped = entries.every(([, type]) => typeof type === 'string' && type.trim() !== '');
  if (isObject && isTyped) return new Map(entries);
  throw invalidInput(
    'types',
    'types must be a JSON object with the ClickHouse type of each column that it names, such as {"amount": "Decimal(18, 2)"}.',
  );
}
