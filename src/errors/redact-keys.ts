/** The prefix of every API key, which makes a leaked one recognizable. */
export const keyPrefix = 'qdk_';

/** Also matches a truncated key, and any case of the prefix. */
const KEY = /qdk_[A-Za-z0-9_-]{32,}/gi;

/** A key without its prefix: 43 base64url characters are rarely anything else. */
const BARE = /[A-Za-z0-9_-]{43,}/g;

/** Whether the text contains something that looks like an API key. */
export function containsKey(text: string): boolean {
  return text.search(KEY) >= 0;
}

/** Replaces every API key in the text; returns a text without one unchanged. */
export function redactKeys(text: string): string {
  return text.replace(KEY, `${keyPrefix}…`).replace(BARE, (run) => (looksRandom(run) ? '…' : run));
}

function looksRandom(run: string): boolean {
  return /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run);
}
