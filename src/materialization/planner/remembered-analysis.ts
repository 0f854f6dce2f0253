/** Memoizes the engine's analysis during planning, since planning steps repeat many of the same requests. */
import type { SqlAnalysis } from '../../sql/sql-analysis.ts';

/** @param analysis its answers must not change while the result is in use. */
export function rememberedAnalysis(analysis: SqlAnalysis): SqlAnalysis {
  return {
    plain: (sql) => analysis.plain(sql),
    functions: () => analysis.functions(),
    views: remembered(analysis.views),
    vectorIndexes: remembered(analysis.vectorIndexes),
    format: remembered(analysis.format),
    tokens: remembered(analysis.tokens),
    ast: remembered(analysis.ast),
    tree: remembered(analysis.tree),
    describe: remembered(analysis.describe),
  };
}

/** Memoizes failures too. */
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
