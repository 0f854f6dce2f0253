/** A dictionary that does not load, because the engine cannot read the server, table or file that it is made from. Pure. */
import type { EngineError } from './engine-error.ts';

/** Of connections and logins. What the engine itself may answer as well counts only where it names a function of the dictionary. */
const ofServers: ReadonlySet<number> = new Set([86, 198, 209, 210, 242, 279, 516, 614]);
/** Of the libraries by which the engine reads sources; they come without the place where they happened. */
const ofLibraries: ReadonlySet<number> = new Set([1000, 1001, 1002]);

/** Where the engine says what it was doing: a call with its arguments, or the text that it evaluated. */
const PLACE = /\b(?:while executing '|in scope )[\s\S]*$/i;

/**
 * Null for any other error.
 *
 * @param context the dictionaries that the query may use, as it writes them, and its text.
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
    return `One of the dictionaries ${named.join(', ')} cannot be loaded at the moment: the engine cannot read its source.`;
  return `The dictionary ${named[0]} cannot be loaded at the moment: the engine cannot read its source.`;
}
