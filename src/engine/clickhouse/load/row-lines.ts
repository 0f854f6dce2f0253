/** Tracks the line in which each row of a text begins, while the text passes through. */
import type { RowFault } from './row-fault.ts';

export interface RowLines {
  take(chunk: Buffer): void;
  /** @param row from 1, not counting the header. Null when unknown. */
  lineOf(row: number): number | null;
}

const LF = 10;
const CR = 13;
const QUOTE = 34;
/** Maximum number of multi-line rows to track. */
const maxLong = 100_000;
/** What a backslash in JSON may have behind it. */
const escapable: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrtu'));

export interface CsvLines extends RowLines {
  /** The first row that is not a row of the header's columns; null when there is none. Call it at the end. */
  fault(): RowFault | null;
  /** The row with a quoted field that does not end; null when there is none. */
  unclosed(): number | null;
}

/** For a CSV with a header; a quoted field may contain line breaks. */
export function csvLines(delimiter: string): CsvLines {
  const separator = delimiter.charCodeAt(0);
  const long: (readonly [row: number, breaks: number])[] = [];
  let [row, breaks] = [0, 0];
  let [inQuotes, atStart, isClosed] = [false, true, false];
  let [fields, expected, isBlank] = [1, 0, true];
  let fault: RowFault | null = null;
  let blank: RowFault | null = null;
  const endRow = () => {
    if (row === 0) expected = fields;
    // The engine skips blank lines at the end.
    else if (isBlank) blank ??= { row, what: 'it is empty' };
    else {
      if (expected > 1) fault ??= blank;
      if (fields !== expected) fault ??= { row, what: countsOf(fields, expected) };
    }
    fields = 1;
    isBlank = true;
  };
  return {
    fault() {
      endRow();
      return fault;
    },
    unclosed: () => (inQuotes ? row : null),
    take(chunk) {
      for (const byte of chunk) {
        const isEnd = byte === separator || byte === LF || byte === CR;
        if (byte === separator && !inQuotes) fields += 1;
        if (byte !== LF && byte !== CR) isBlank = false;
        if (isClosed && !isEnd && byte !== QUOTE)
          fault ??= { row, what: 'a text follows its closing quote' };
        // A doubled quote closes the field and opens it again.
        const opens = atStart || isClosed;
        isClosed = byte === QUOTE && inQuotes;
        if (byte === QUOTE && (inQuotes || opens)) inQuotes = !inQuotes;
        else if (byte === LF && inQuotes) breaks += 1;
        else if (byte === LF) {
          endRow();
          if (breaks > 0 && long.length <= maxLong) long.push([row, breaks]);
          row += 1;
          breaks = 0;
        }
        atStart = isEnd;
      }
    },
    lineOf(wanted) {
      if (long.length > maxLong) return null;
      return long.reduce((line, [at, more]) => (at < wanted ? line + more : line), wanted + 1);
    },
  };
}

function countsOf(fields: number, expected: number): string {
  return `it has ${fields} ${fields === 1 ? 'field' : 'fields'}; the header has ${expected}`;
}

export interface JsonLines extends RowLines {
  /** The first line with a backslash that escapes nothing, which the engine leaves out; null when there is none. */
  strayBackslash(): number | null;
}

/** For JSON with one object per line; lines without one are skipped. */
export function jsonLines(): JsonLines {
  const blank: number[] = [];
  let [line, isBlank, depth] = [1, true, 0];
  let isByLine = true;
  let [inText, isEscaped] = [false, false];
  let stray: number | null = null;
  return {
    strayBackslash: () => stray,
    take(chunk) {
      for (const byte of chunk) {
        const wasEscaped = isEscaped;
        isEscaped = false;
        if (wasEscaped && !escapable.has(byte)) stray ??= line;
        if (byte === LF) {
          if (depth > 0 || inText) isByLine = false;
          else if (isBlank && blank.length <= maxLong) blank.push(line);
          line += 1;
          isBlank = true;
          continue;
        }
        if (byte > 32) isBlank = false;
        if (inText) {
          if (wasEscaped) continue;
          if (byte === 92) isEscaped = true;
          else if (byte === QUOTE) inText = false;
        } else if (byte === QUOTE) inText = true;
        else if (byte === 123 || byte === 91) {
          // An array of rows may be on one line.
          if (byte === 91 && depth === 0) isByLine = false;
          depth += 1;
        } else if (byte === 125 || byte === 93) depth -= 1;
      }
    },
    lineOf(wanted) {
      if (!isByLine || blank.length > maxLong) return null;
      return blank.reduce((at, skipped) => (skipped <= at ? at + 1 : at), wanted);
    },
  };
}
