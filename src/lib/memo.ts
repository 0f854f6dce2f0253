/**
 * A memo of the hot path: a value that is computed once and reused. Always on, except while the benchmark measures what
 * it saves.
 */
export interface Memo {
  readonly name: string;
  isOn: boolean;
}

const memos = new Map<string, Memo>();

/** Registers a memo. Its owner checks `isOn` before it uses the stored value. */
export function defineMemo(name: string): Memo {
  const memo = { name, isOn: true };
  memos.set(name, memo);
  return memo;
}

/** Every memo of the loaded modules. Only the benchmark turns one off. */
export function definedMemos(): readonly Memo[] {
  return [...memos.values()];
}

/** Caches the result of `make` for as long as its argument is alive. */
export function memoize<K extends object, V>(name: string, make: (key: K) => V): (key: K) => V {
  const memo = defineMemo(name);
  const made = new WeakMap<K, V>();
  return (key) => {
    const found = memo.isOn ? made.get(key) : undefined;
    if (found !== undefined) return found;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
