/**
 * Values for text variables that the engine can read as what a query compares them with, for analyzing a query without
 * values of its own. Acceptance does not depend on them.
 */
import { isTextListType, isTextType } from '../../../sql/clickhouse-type.ts';
import { sampleParam } from '../../../sql/param-sample.ts';
import type { EngineParams } from '../../query-engine.ts';
import { readSqlText } from './parse/sql-text.ts';

/** Calls of one attempt; each but the last replaces the values of a text, or of several. */
const maxCalls = 10;

/**
 * Calls with other values for the texts that the engine reports to read as another type, one after the other. The empty
 * ones get a day, which it reads as any date or time type, or else a number. If that does not help, calls with a day for
 * each text. Throws the given failure when that does not help either.
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
  const substituted = (sample: (at: number) => string, every: boolean) => {
    const values = { ...params };
    texts.forEach(({ name, isList }, at) => {
      // A time zone or a path has a value that is neither a day nor a number.
      if (every || isEmpty({ name, isList }, params)) values[name] = toParam(sample(at), isList);
    });
    return values;
  };
  const hasEmpty = texts.some((text) => isEmpty(text, params));
  const given = { ...params };
  const isReplaced = !hasEmpty && replaceRead(given, texts, failure);
  const attempts = [
    ...(hasEmpty ? [substituted(dayOf, false), substituted(() => '1', false)] : []),
    ...(isReplaced ? [given] : []),
    substituted(dayOf, true),
  ];
  for (const values of attempts) {
    for (let calls = 0; calls < maxCalls; calls += 1) {
      try {
        return await call(values);
      } catch (error) {
        if (!replaceRead(values, texts, error)) break;
      }
    }
  }
  throw failure;
}

/** Gives the texts that the engine could not read a value of the type that it reports; false if it is about no text. */
function replaceRead(
  values: Record<string, string>,
  texts: readonly TextVariable[],
  error: unknown,
): boolean {
  const read = readAs(error);
  if (read === null) return false;
  const found = texts.filter(({ name, isList }) => values[name] === toParam(read.text, isList));
  if (found.length === 0) return false;
  const sample = sampleParam(read.type);
  for (const { name, isList } of found) values[name] = toParam(sample, isList);
  return sample !== read.text;
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

function isEmpty({ name, isList }: TextVariable, params: EngineParams): boolean {
  return params[name] === (isList ? '[]' : '');
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
