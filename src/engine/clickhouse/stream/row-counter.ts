import type { StreamFormat } from '../../../model/result-format.ts';
import { openArrowCounter } from './arrow-rows.ts';
import { openParquetCounter } from './parquet-rows.ts';

/** Counts rows from the bytes of a format as they pass. */
export interface RowCounter {
  push(chunk: Buffer): void;
  /** Number of rows pushed so far; null when the bytes do not show it. */
  count(): number | null;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;

export function openRowCounter(format: StreamFormat): RowCounter {
  switch (format) {
    case 'ndjson':
      return openLineCounter();
    case 'csv':
      return openCsvCounter();
    case 'arrow':
      return openArrowCounter();
    case 'parquet':
      return openParquetCounter();
  }
}

/** A JSON string never contains a line break. */
function openLineCounter(): RowCounter {
  let rows = 0;
  return {
    push(chunk) {
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
        rows += 1;
      }
    },
    count: () => rows,
  };
}

/** A line break inside quotes does not end a row; a doubled quote leaves and re-enters the quotes. */
function openCsvCounter(): RowCounter {
  let lines = 0;
  let isQuoted = false;
  return {
    push(chunk) {
      for (const byte of chunk) {
        if (byte === QUOTE) isQuoted = !isQuoted;
        else if (byte === NEWLINE && !isQuoted) lines += 1;
      }
    },
    // The first line holds the names.
    count: () => Math.max(0, lines - 1),
  };
}
