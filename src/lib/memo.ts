/** A memo of the hot path: something worked out once for what repeats. It is always on, except while the bench measures its worth. */
export interface Memo {
  readonly name: string;
  isOn: boolean;
}

const memos = new Map<string, Memo>();

/** Registers a memo. Its owner asks `isOn` wherever it would use what it remembers. */
export function defineMemo(name: string): Memo {
  const memo = { name, isOn: true };
  memos.set(name, memo);
  return memo;
}

/** Every memo of the modules that are loaded. Only the bench turns one off. */
export function definedMemos(): readonly Memo[] {
  return [...memos.values()];
}

/** What `make` makes of an object, made once and held for as long as the object is. */
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
