/**
 * The cursor of a page, as text for the caller. It holds sort keys, which are bound as typed parameters, and a number
 * of rows to skip after them, so it is exact whether or not the keys are unique: if the rows around the end of a page
 * have the same keys, the next page starts at this page's keys and skips its rows.
 */
import { createHash } from 'node:crypto';
import type { EngineResult } from '../engine/query-engine.ts';
import { badCursor, type SortKey, type SortValues } from '../engine/row-selection.ts';

export interface PageStart {
  /** The query's own sort keys; null when the run states the order, or when the query has no usable one. */
  readonly keys: readonly SortKey[] | null;
  /** The sort keys of the row from which `skip` counts; null for the first row. */
  readonly from: SortValues | null;
  readonly skip: number;
}

export interface Paging {
  /** Identifies what all pages share: version, variables, filters, columns and order. */
  readonly scope: string;
  readonly start: PageStart;
  /** Whether the run itself states the order. */
  readonly isOrdered: boolean;
}

/** The cursor of the next page; null on the last page. */
export function nextCursor(
  { scope, start, isOrdered }: Paging,
  { hasMore, pageEnd }: Pick<EngineResult, 'hasMore' | 'pageEnd'>,
  limit: number,
): string | null {
  if (!hasMore) return null;
  const keys = isOrdered ? null : (pageEnd?.keys ?? null);
  const next = pageEnd?.next ?? null;
  if (next !== null) return toText(scope, { keys, from: next, skip: 0 });
  return toText(scope, { keys, from: start.from, skip: start.skip + limit });
}

/** Longer than any cursor that is issued. */
const maxLength = 16_384;

/** Throws `invalid_input` for a text that is not a cursor of a run with this scope. */
export function readCursor(text: string, scope: string): PageStart {
  const start = text.length <= maxLength && /^[\w-]+$/.test(text) ? parse(text) : null;
  if (start === null || toText(scope, start) !== text) throw badCursor();
  return start;
}

/**
 * The digest is not a secret: it detects damaged cursors and those of other runs. A forged one only moves its own page.
 */
function toText(scope: string, { keys, from, skip }: PageStart): string {
  const packed = keys?.map(({ position, isDescending }) => (isDescending ? ~position : position));
  const content = [packed ?? null, from, skip];
  const digest = createHash('sha256')
    .update(JSON.stringify([scope, content]))
    .digest('base64url')
    .slice(0, 16);
  return Buffer.from(JSON.stringify([digest, ...content])).toString('base64url');
}

/** Null when the text does not have the shape of a cursor. */
function parse(text: string): PageStart | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (!Array.isArray(parsed) || parsed.length !== 4) return null;
  const [, packed, from, skip] = parsed as readonly unknown[];
  if (!isWhole(skip) || skip < 0 || !isListOrNull(packed, isWhole)) return null;
  if (!isListOrNull(from, (value) => value === null || typeof value === 'string')) return null;
  const keys = (packed as readonly number[] | null)?.map((key) => ({
    position: key < 0 ? ~key : key,
    isDescending: key < 0,
  }));
  return { keys: keys ?? null, from: from as SortValues | null, skip };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isListOrNull(value: unknown, holds: (item: unknown) => boolean): boolean {
  return value === null || (Array.isArray(value) && value.every(holds));
}
