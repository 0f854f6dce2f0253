/** Formats for loading data, by the names that callers use. Pure. */
import type { LoadFormat } from './table-loader.ts';

export const formatNames = ['csv', 'tsv', 'ndjson', 'json', 'parquet', 'arrow'] as const;
export type FormatName = (typeof formatNames)[number];

const engineFormat = {
  csv: 'CSVWithNames',
  tsv: 'CSVWithNames',
  ndjson: 'JSONEachRow',
  json: 'JSONEachRow',
  parquet: 'Parquet',
  arrow: 'Arrow',
} as const satisfies Record<FormatName, LoadFormat>;

/** @param head the first bytes: an Arrow file and an Arrow stream have the same format name. */
export function engineFormatOf(format: FormatName, head: Buffer): LoadFormat {
  if (format !== 'arrow') return engineFormat[format];
  return head.toString('latin1', 0, 6) === 'ARROW1' ? 'Arrow' : 'ArrowStream';
}

/**
 * The delimiter of a CSV's fields; null for a text that is none. `tab` and `\\t` mean a tab.
 *
 * @param given undefined for that of the format.
 */
export function parseDelimiter(
  format: FormatName,
  given: string | undefined,
): string | undefined | null {
  if (given === undefined) return format === 'tsv' ? '\t' : undefined;
  const text = given === '\\t' || given.toLowerCase() === 'tab' ? '\t' : given;
  return /^[\t -~]$/.test(text) && !/["\w]/.test(text) ? text : null;
}

export function isText(format: FormatName): boolean {
  return format !== 'parquet' && format !== 'arrow';
}
