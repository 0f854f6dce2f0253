/** Digests of small results, made from their rows as texts. Pure. */
import { createHash } from 'node:crypto';
import type { Column, DigestedStatement, RowDigest } from '../../query-engine.ts';
import type { EngineResponse } from '../http/http-client.ts';

/** TabSeparated escapes line breaks, and leaves the bytes of texts that are not valid UTF-8 as they are. */
export const asTexts = { format: 'texts', maxBytes: 65_536 } as const;

/** Types of which different values may have the same text. */
const AMBIGUOUS = /\b(?:Dynamic|Variant|JSON|Object|Geometry|AggregateFunction)\b/;

export function haveDistinctTexts(columns: readonly Column[]): boolean {
  return columns.every(({ type }) => !AMBIGUOUS.test(type));
}

export function digestOfTexts(
  { body, stats }: EngineResponse,
  columns: readonly Column[],
  inOrder: DigestedStatement['inOrder'],
): RowDigest {
  // One character for each byte.
  const rows = body.toString('latin1').split('\n').slice(0, -1);
  return {
    rows: rows.length,
    hash: hashOf(rows.toSorted()),
    sequence: inOrder === null ? '' : hashOf(rows),
    columns,
    rowsRead: stats.rowsRead,
  };
}

function hashOf(rows: readonly string[]): string {
  return createHash('sha256').update(rows.join('\n'), 'latin1').digest('hex');
}
