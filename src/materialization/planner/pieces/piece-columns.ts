/** The columns of a piece of rows, and the items it selects for them. */
import { quoteName } from '../../../sql/quote-name.ts';
import { type DescribedColumn, isTextError } from '../../../sql/sql-analysis.ts';
import { FLOAT } from '../column-types.ts';
import { withHiddenColumns } from '../hidden-columns.ts';
import { guardOf } from '../layout/zero-guards.ts';
import { isReservedName, stored } from '../stored-columns.ts';
import { isName, nameOf, type Tokens, textOf } from '../text/tokens.ts';
import type { Splitting } from './pieces.ts';
import type { ParsedFrom, Source } from './query-text.ts';

export function mentionsCte(tokens: Tokens, { ctes }: Splitting): boolean {
  return tokens.some(
    (token, at) => isName(token) && tokens[at - 1]?.text !== '.' && ctes.has(nameOf(token)),
  );
}

export interface SourceColumns {
  readonly source: Source;
  readonly columns: readonly SourceColumn[];
}

interface SourceColumn extends DescribedColumn {
  /** Whether `*` leaves it out, as it does with MATERIALIZED and ALIAS columns. */
  readonly isHidden: boolean;
}

/** The columns of each source; null if a source is not a table or a standalone subquery. */
export async function describeSources(
  from: Tokens,
  parsed: ParsedFrom,
  splitting: Splitting,
): Promise<readonly SourceColumns[] | null> {
  const described: SourceColumns[] = [];
  for (const source of parsed.sources) {
    if (source.kind === 'function' || mentionsCte(source.body, splitting)) return null;
    if (source.name === null && parsed.sources.length > 1) return null;
    try {
      const text = textOf(from.slice(source.start, source.end));
      const columns = await columnsOf(source, `SELECT * FROM ${text}`, splitting);
      if (columns.some(({ name }) => isReservedName(name))) return null;
      described.push({ source, columns });
    } catch (error) {
      if (isTextError(error)) return null;
      throw error;
    }
  }
  return described;
}

async function columnsOf(
  { kind }: Source,
  sql: string,
  { describe }: Splitting,
): Promise<readonly SourceColumn[]> {
  const shown = await describe(sql);
  // In a subquery, the settings would add columns to its own `*`.
  const all = kind === 'table' ? await describe(`${sql} ${withHiddenColumns}`) : shown;
  const names = new Set(shown.map(({ name }) => name));
  return all.map((column) => ({ ...column, isHidden: !names.has(column.name) }));
}

export interface StoredColumn {
  readonly name: string;
  readonly source: string | null;
  /** Column name in the piece: its own name, unless another source has a column of that name. */
  readonly stored: string;
  readonly type: string;
}

/**
 * The columns the read uses; the first column if it uses none.
 *
 * @param from FROM and WHERE of the piece.
 */
export function chooseColumns(
  sources: readonly SourceColumns[],
  from: string,
  { used }: Splitting,
): readonly StoredColumn[] {
  const taken = new Set<string>();
  const all = sources
    .flatMap(({ source, columns }) => columns.map((column) => ({ ...column, source: source.name })))
    .map((column, at) => {
      const stored = taken.has(column.name) ? `__c${at}` : column.name;
      taken.add(stored);
      return { ...column, stored };
    });
  if (used === null) return all;
  if (used.whole.has(from)) return all.filter(({ isHidden }) => !isHidden);
  const isUsed = (name: string) => used.names.has(name);
  // `a` also stands for the columns of the Nested `a`, which are called `a.b`.
  const chosen = all.filter(
    ({ stored }) =>
      isUsed(stored) || (stored.includes('.') && used.parents.has(stored.split('.')[0] ?? '')),
  );
  return chosen.length > 0 ? chosen : all.slice(0, 1);
}

function itemsOf(columns: readonly StoredColumn[], isQualified: boolean): string {
  return columns
    .map(({ name, source, stored }) => {
      const own = quoteName(name);
      const text = isQualified ? `${quoteName(source ?? '')}.${own}` : own;
      return isQualified || stored !== name ? `${text} AS ${quoteName(stored)}` : text;
    })
    .join(', ');
}

interface ItemsOf {
  readonly columns: readonly StoredColumn[];
  /** Whether to qualify columns with their source. */
  readonly isQualified: boolean;
}

/** The items of a piece of rows and its resulting columns: those the read uses, and the guards against -0. */
export function selected(
  { columns, isQualified }: ItemsOf,
  { guarded }: Splitting,
): { readonly items: string; readonly columns: readonly DescribedColumn[] } {
  const guards = columns
    .flatMap(({ name, source, type }) => {
      const call = FLOAT.test(type) ? guarded.get(name) : undefined;
      const own = quoteName(name);
      const argument = isQualified ? `${quoteName(source ?? '')}.${own}` : own;
      return call === undefined ? [] : [guardOf(call, { argument, shown: name })];
    })
    .map((text, at) => ({ name: stored.guard(at), type: 'UInt8', text }));
  return {
    items: [
      itemsOf(columns, isQualified),
      ...guards.map(({ name, text }) => `${text} AS ${name}`),
    ].join(', '),
    columns: [
      ...columns.map((column) => ({ name: column.stored, type: column.type })),
      ...guards.map(({ name, type }) => ({ name, type })),
    ],
  };
}
