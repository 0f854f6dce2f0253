/** What the engine said about a text is used again while a query is planned: its steps ask for much of it twice. */
import type { SqlAnalysis } from '../../sql/sql-analysis.ts';

/** @param analysis whose answers stay the same for as long as the result is used. */
export function rememberedAnalysis(analysis: SqlAnalysis): SqlAnalysis {
  return {
    plain: (sql) => analysis.plain(sql),
    functions: () => analysis.functions(),
    format: remembered(analysis.format),
    tokens: remembered(analysis.tokens),
    ast: remembered(analysis.ast),
    tree: remembered(analysis.tree),
    describe: remembered(analysis.describe),
  };
}

/** Failures are remembered as well. */
function remembered<G extends readonly unknown[], T>(
  ask: (...given: G) => Promise<T>,
): (...given: G) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (...given) => {
    const key = JSON.stringify(given);
    const result = known.get(key) ?? ask(...given);
    known.set(key, result);
    return result;
  };
}
