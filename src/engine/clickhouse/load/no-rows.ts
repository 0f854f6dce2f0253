/** Data without rows, whose types are known only from a table that exists. */
import { ServiceError } from '../../../errors/service-error.ts';
import { readHead } from '../../../lib/plain-file.ts';
import type { Column } from '../../query-engine.ts';
import type { LoadFormat, LoadMode } from '../../table-loader.ts';
import type { Rows } from '../http/session.ts';

/** Of a file. */
interface NoRows {
  /** Those in the header of a CSV; null when the data has no names either. */
  readonly names: readonly string[] | null;
  /** Whether the file has nothing in it at all. */
  readonly isBlank: boolean;
}

export class NoRowsError extends ServiceError {
  readonly found: NoRows;
  readonly subject: string;

  constructor(subject: string, found: NoRows) {
    const sentence = `${subject} has no rows, so the types of its columns are not known. Load it into a table that exists, or with at least one row.`;
    super('invalid_input', sentence);
    this.name = 'NoRowsError';
    this.found = found;
    this.subject = subject;
  }
}

/**
 * The columns of such data. Throws when some are not known, and for an empty file that would replace a table: rather
 * than no rows, it may be what is left of an upload that failed.
 */
export function columnsWithoutRows(
  error: NoRowsError,
  { known, mode }: { readonly known: readonly Column[] | null; readonly mode: LoadMode },
): readonly Column[] {
  const { found, subject } = error;
  if (known === null || known.length === 0) throw error;
  if (found.isBlank && mode === 'replace') {
    const detail = `${subject} is empty. To replace a table by one without rows, send a CSV with only a header, or [] as JSON.`;
    throw new ServiceError('invalid_input', detail);
  }
  const names = found.names ?? known.map(({ name }) => name);
  return names.map((name) => {
    const type = known.find((each) => each.name === name)?.type;
    if (type === undefined) throw error;
    return { name, type };
  });
}

/** Null if there are rows, or may be. */
export async function findNoRows(
  { path, format }: { readonly path: string; readonly format: LoadFormat },
  readHeader: () => Promise<Rows>,
): Promise<NoRows | null> {
  const text = (await readHead(path))
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
  const isBlank = text === '';
  if (format === 'JSONEachRow') return /^(\[\s*\])?$/.test(text) ? { names: null, isBlank } : null;
  if (format !== 'CSVWithNames' || isBlank) return null;
  const [header = [], ...rows] = await readHeader();
  return rows.length === 0 ? { names: header.map(String), isBlank } : null;
}
