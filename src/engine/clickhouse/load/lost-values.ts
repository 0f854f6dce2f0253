/** What the engine would leave out of an Arrow or Parquet file, or change, without a word. */
import type { Column } from '../../query-engine.ts';
import type { LoadFormat } from '../../table-loader.ts';
import type { Rows } from '../http/session.ts';
import { type ArrowKind, type ArrowMessages, readArrowMessages } from './arrow-messages.ts';

interface TypedFile {
  readonly path: string;
  readonly format: LoadFormat;
}

/** The rest of a sentence that has the file as its subject; null if the engine reads all of it, or says why not. */
export async function findLostInParquet(
  described: readonly Column[],
  readLeaves: () => Promise<Rows>,
): Promise<string | null> {
  const names = described.map(({ name }) => name);
  const paths = (await readLeaves()).map(([leaf]) => String(leaf));
  const lost = paths.find((leaf) => !names.some((n) => leaf === n || leaf.startsWith(`${n}.`)));
  if (lost === undefined) return null;
  return lost === '' || lost.startsWith('.') ? noName : `has a column ${lost} that cannot be read.`;
}

/** The same of what the messages of an Arrow file tell, before the engine reads it. */
export async function findLostInArrow({ path, format }: TypedFile): Promise<string | null> {
  if (format !== 'Arrow' && format !== 'ArrowStream') return null;
  const messages = await readArrowMessages(path);
  return messages === null ? null : (findUnread(messages) ?? findNulls(messages));
}

const noName = 'has a column without a name.';

function findUnread({ fields }: ArrowMessages): string | null {
  if (fields.some(({ path }) => path.length === 1 && path[0] === '')) return noName;
  // The engine takes them for the seconds of a DateTime, and wraps those before 1970 and after 2106.
  const days = fields.find(({ kind }) => kind === 'date64');
  if (days !== undefined)
    return `has dates of 64 bits in ${days.path[0]}, which cannot be read exactly. Write timestamps, or dates of 32 bits.`;
  const untyped = fields.find(({ kind }) => kind === 'null');
  if (untyped === undefined) return null;
  return `has the type null in ${untyped.path[0]}, which has no values. Write another type, or leave it out.`;
}

const instead: Partial<Record<ArrowKind, string>> = {
  list: 'a list is never NULL in a table. Write an empty one',
  map: 'a map is never NULL in a table. Write an empty one',
  struct: 'a struct is never NULL in a table. Write one whose members are NULL',
};

/** The engine takes a NULL list or map for an empty one, and a NULL struct for one of defaults. */
function findNulls({ fields, batches }: ArrowMessages): string | null {
  let rows = 0;
  for (const batch of batches) {
    const found = fields.find(({ kind }, at) => kind in instead && (batch.nulls[at] ?? 0) > 0);
    if (found !== undefined) {
      const { path, kind } = found;
      const what = path.length === 1 ? `NULL as the value of ${path[0]}` : `NULL within ${path[0]}`;
      return `has ${what} in one or more of the rows ${rows + 1} to ${rows + batch.rows}; ${instead[kind]}.`;
    }
    rows += batch.rows;
  }
  return null;
}
