/**
 * Values for text variables that the engine can read as what a query compares them with, for analyzing a query without
 * values of its own. Acceptance does not depend on them.
 */
import { isTextListType, isTextType } from '../../../sql/clickhouse-type.ts';
import { sampleParam } from '../../../sql/param-sample.ts';
import type { EngineParams } from '../../query-engine.ts';
import { readSqlText } from './parse/sql-text.ts';

/**
 * Calls with a day for each text, which the engine reads as any date or time type. While it reports that it reads one of
 * them as another type, calls again with a value of this type. Throws the given failure when that does not help.
 *
 * @param failure of the call with the values as they are.
 */
export async function withReadableTexts<T>(
  { sql, params }: { readonly sql: string; readonly params: EngineParams },
  failure: unknown,
  call: (params: EngineParams) => Promise<T>,
): Promise<T> {
  const texts = textsOf(sql, params);
  if (texts.length === 0) throw failure;
  const values = new Map(texts.map(({ name, isList }, at) => [name, toParam(dayOf(at), isList)]));
  // Every call but the last replaces the value of another text.
  for (let calls = 0; calls <= texts.length; calls += 1) {
    try {
      return await call({ ...params, ...Object.fromEntries(values) });
    } catch (error) {
      const read = readAs(error);
      const text = texts.find((_text, at) => dayOf(at) === read?.text);
      if (read === null || text === undefined) break;
      values.set(text.name, toParam(sampleParam(read.type), text.isList));
    }
  }
  throw failure;
}

interface TextVariable {
  readonly name: string;
  readonly isList: boolean;
}

function textsOf(sql: string, params: EngineParams): readonly TextVariable[] {
  const texts = new Map<string, TextVariable>();
  for (const { name, type } of readSqlText(sql).substitutions) {
    const isList = isTextListType(type);
    if (params[name] !== undefined && (isList || isTextType(type)))
      texts.set(name, { name, isList });
  }
  return [...texts.values()];
}

/** A day of its own for each text, so that an error of the engine tells which one it is about. */
function dayOf(index: number): string {
  return new Date(Date.UTC(2001, 0, 1 + index)).toISOString().slice(0, 10);
}

function toParam(text: string, isList: boolean): string {
  return isList ? `['${text}']` : text;
}

const READ_AS =
  /(?:converting|convert string) '([^']*)' to (?:type )?(?:(?:LowCardinality|Nullable)\()*([A-Z]\w*)/;

/** The text that the engine could not read, and the name of the type without its arguments. */
function readAs(error: unknown): { readonly text: string; readonly type: string } | null {
  const [, text, type] = READ_AS.exec(error instanceof Error ? error.message : '') ?? [];
  return text === undefined || type === undefined ? null : { text, type };
}
