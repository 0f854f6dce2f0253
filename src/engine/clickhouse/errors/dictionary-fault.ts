/** A dictionary that does not load because the engine cannot read its source: a server, table or file. Pure. */
import type { EngineError } from './engine-error.ts';

/**
 * Connection and login errors. Codes that the engine itself can also raise count only when the message names a
 * dictionary function.
 */
const ofServers: ReadonlySet<number> = new Set([86, 198, 209, 210, 242, 279, 516, 614]);
/** Errors of the libraries that the engine reads sources with; they lack the context in which they happened. */
const ofLibraries: ReadonlySet<number> = new Set([1000, 1001, 1002]);

/** The engine's description of what it was doing: a call with its arguments, or the evaluated text. */
const PLACE = /\b(?:while executing '|in scope )[\s\S]*$/i;

/**
 * Null for any other error.
 *
 * @param context the dictionaries that the query may use, as written in it, and its text.
 */
export function dictionaryFault(
  { code, message }: EngineError,
  context: { readonly dictionaries?: readonly string[]; readonly written?: string },
): string | null {
  const { dictionaries = [], written = '' } = context;
  const place = ofServers.has(code) ? (PLACE.exec(message)?.[0] ?? '') : '';
  const text = ofLibraries.has(code) ? written : place;
  const named = dictionaries.filter((name) => text.includes(`'${name}'`));
  if (named.length === 0) return null;
  if (named.length > 1)
    return `One of the dictionaries ${named.join(', ')} cannot be loaded: the engine cannot read its source at the moment.`;
  return `The dictionary ${named[0]} cannot be loaded: the engine cannot read its source at the moment.`;
}
