/** What is wrong with a row that the engine could not read, without quoting its data. Pure. */
import type { Column } from '../../query-engine.ts';
import type { LoadFormat } from '../../table-loader.ts';
import { bareType } from './fit-to-table.ts';
import { isFloat } from './float-digits.ts';
import { isTextFormat, refusedValue } from './load-sql.ts';

export interface RowFault {
  /** From 1, not counting the header. */
  readonly row: number;
  /** The rest of a sentence that has the row as its subject. */
  readonly what: string;
}

export const notClosed = 'it is incomplete: a quote or a bracket is not closed';
export const strayBackslash =
  'it has a backslash that escapes nothing, as in "C:\\data"; write a backslash as \\\\';
export const unnamedMember = 'it has a member without a name; each needs one, as in {"id": 1}';

/** Null when the engine's message names no row. */
export function rowFaultOf(
  message: string,
  { columns, format }: { readonly columns: readonly Column[]; readonly format: LoadFormat },
): RowFault | null {
  const refused = refusedValue(message);
  if (refused !== null) {
    const column = columns[refused.column];
    return { row: refused.row, what: notHeld(column, format) };
  }
  const row = /\(at row (\d+)\)/.exec(message)?.[1];
  if (row === undefined) return null;
  return { row: Number(row), what: whatOf(message, columns, format) };
}

function notHeld(column: Column | undefined, format: LoadFormat): string {
  if (column === undefined) return 'it has a value that its column cannot hold';
  const { name, type } = column;
  if (isFloat(bareType(type).type))
    return `the value of ${name} is missing, is not a valid ${type} or has more digits than one keeps`;
  if (!isTextFormat(format) && type.includes('DateTime64'))
    return `the value of ${name} is missing, is not a valid ${type} or is not of the years 0 to 9999`;
  return `the value of ${name} is missing or is not a valid ${type}`;
}

function whatOf(message: string, columns: readonly Column[], format: LoadFormat): string {
  if (/more columns than expected/.test(message))
    return `it has more fields than the header, which has ${columns.length}`;
  if (/less columns than expected/.test(message))
    return `it has fewer fields than the header, which has ${columns.length}`;
  if (/[Ee]nd of (?:stream|file)|end of quoted|closing quote/.test(message)) return notClosed;
  const unknown = /Unknown field found[^:]*: ([^:\n]{0,200}?): \(at row/.exec(message)?.[1];
  if (unknown === '') return unnamedMember;
  if (unknown !== undefined) return `it has a member ${unknown}, which is not a column`;
  const named =
    /while reading the value of key ([^)\n]{1,200})\)/.exec(message)?.[1] ??
    lastBeforeError(message);
  const column = columns.find(({ name }) => name === named);
  if (column !== undefined) return `the value of ${column.name} is not a valid ${column.type}`;
  return format === 'CSVWithNames' ? 'it cannot be read as CSV' : 'it cannot be read as JSON';
}

/** The engine lists the columns read so far, then the error. */
function lastBeforeError(message: string): string | undefined {
  const read = message.split(/\nERROR: /)[0] ?? '';
  const all = [...read.matchAll(/\nColumn \d+,\s+name: (.+?),\s+type: /g)];
  return all.at(-1)?.[1];
}

/** The rest of a sentence about data of which the engine names no row. */
export function whyUnreadable(format: LoadFormat, message: string): string {
  const mixed = /not allowed inside Variant type.*value of key ([^)\n]{1,200})\)/s.exec(
    message,
  )?.[1];
  if (mixed !== undefined)
    return `has null among values of several types within ${mixed}, which no column holds.`;
  if (/Unknown field found in format header: ''/.test(message))
    return 'has a column without a name in its header.';
  if (hasNoNames(message))
    return format === 'JSONEachRow'
      ? 'has rows whose members have no names.'
      : 'has a column without a name.';
  const repeated =
    /Duplicate column name found while schema inference: "([^"]{1,200})"/.exec(message)?.[1] ??
    /Cannot add column (.{1,200}?): column with this name already exists/.exec(message)?.[1];
  if (repeated !== undefined) {
    const named = format === 'JSONEachRow' ? 'members' : 'columns';
    return `has several ${named} with the name ${repeated}.`;
  }
  const [, type, column, earlier] =
    /defined type (.+?) for column '(.{1,200}?)' in row \d+ differs from type defined by previous rows: (.+?)\. You/s.exec(
      message,
    ) ?? [];
  if (column !== undefined)
    return `has values of ${column} that no type has in common, here of ${earlier} and ${type}. Write all of them in one type, such as text.`;
  const [, path, one, other] =
    /ambiguous data: in some objects path '(.{1,200}?)' has type '(.+?)' and in some - '(.+?)'\. You/s.exec(
      message,
    ) ?? [];
  if (path !== undefined)
    return `has objects whose members ${path} have no type in common, here of ${one} and ${other}. Write all of them in one type, such as text.`;
  const [, rule, condition] =
    /^Constraint `(.{1,200}?)` for table .+? is violated at row \d+\. Expression: \((.+?)\)\. Column/s.exec(
      message,
    ) ?? [];
  if (rule !== undefined)
    return `has a row that breaks the constraint ${rule} of the table, which requires ${condition}.`;
  if (/value -?\d+ is out of (?:the )?allowed Date32 range/.test(message)) {
    const named = /: column: (.{1,200}?): /.exec(message)?.[1];
    const where = named === undefined ? '' : ` in ${named}`;
    return `has a day before 1900 or after 2299${where}, which no column of days holds. Write such days as text.`;
  }
  const reason = message
    .replace(/ before: '.*$/s, '.')
    .replace(/ In JSON input formats you can disable setting .*$/s, '')
    .replace(/: \(in file\/uri .*$/s, '.')
    .replace(/ *\(at row \d+\)\s*:\s*(?:Row \d+:|\(in file\/uri).*$/s, '')
    .replace(/The table structure cannot be extracted from a \w+ format file[.:] */g, '')
    .replace(/^Error: /, '');
  return `could not be read as ${writtenNames[format] ?? format}: ${capitalized(reason)}`;
}

/** Whether the engine's message is about JSON of which no row has a member with a name. */
export function hasNoNames(message: string): boolean {
  return /only partition columns/.test(message);
}

const writtenNames: Partial<Record<LoadFormat, string>> = {
  CSVWithNames: 'CSV',
  JSONEachRow: 'JSON',
};

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
