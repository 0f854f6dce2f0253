/**
 * The resolved tree of a text with its scalar subqueries. The engine evaluates them, and shows only a reference to the
 * result where it is an array, a tuple or a LowCardinality: `SELECT (SELECT a, b FROM t)`. With the setting it shows the
 * subquery beside the value, as for other types.
 */
import type { Settings } from './http/request-message.ts';

const REFERENCE = 'function_name: __getScalar';

/** @param explain gives the lines, with further settings of the query. */
export async function wholeTree(
  explain: (settings?: Settings) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const lines = await explain();
  if (!lines.some((line) => line.includes(REFERENCE))) return lines;
  return explain({ enable_scalar_subquery_optimization: '0' });
}
