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
