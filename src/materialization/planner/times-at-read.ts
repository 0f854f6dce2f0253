/**
 * The current time in a query that uses it outside of WHERE: reads evaluate it like the value of a variable, everywhere, so
 * that `countIf(ts > now() - 60)` and `WHERE ts > now() - 60` mean the same rows.
 */
import { sampleParam } from '../../sql/param-sample.ts';
import type { Token } from '../../sql/sql-analysis.ts';
import { bareTimeFunctions } from './fixed-functions.ts';
import type { QueryContext } from './plan-context.ts';
import { formatQuery } from './same-query.ts';
import { timeCalls } from './text/determinism.ts';
import { withCallsAsParameters } from './text/parameters.ts';
import { textOf } from './text/tokens.ts';

/** The query with a variable for each call; null if there are none. */
export async function withTimesAsVariables(query: QueryContext): Promise<QueryContext | null> {
  const formatted = await formatQuery(query);
  const { analysis, catalog, parameters } = query;
  const ofQuery = { analysis, catalog, samples: parameters.samples };
  const calls = timeCalls(formatted, await bareTimeFunctions(formatted, ofQuery));
  const texts = [...new Set(calls.map(({ text }) => text))];
  if (texts.length === 0) return null;
  const items = texts.map((text, at) => `${text} AS t${at}`).join(', ');
  const columns = await analysis.describe(`SELECT ${items}`, {});
  const evaluated = texts.map((text, at) => {
    const type = columns[at]?.type ?? '';
    return { text, type, sample: sampleParam(type) };
  });
  const timed = withCallsAsParameters(parameters, evaluated, (parameterOf) => {
    const replaced = formatted.flatMap((token, at): readonly Token[] => {
      const call = calls.find(({ start, end }) => at >= start && at < end);
      if (call === undefined) return [token];
      const text = parameterOf[texts.indexOf(call.text)] ?? '';
      return at === call.start ? [{ ...token, text }] : [];
    });
    return textOf(replaced);
  });
  return { ...query, parameters: timed };
}
