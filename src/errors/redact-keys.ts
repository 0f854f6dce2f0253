/** How a key looks, so that one is recognised wherever it strays. */
export const keyPrefix = 'qdk_';

/** With its last characters cut off, too; whatever the case of the prefix. */
const KEY = /qdk_[A-Za-z0-9_-]{32,}/gi;

/** What is left of a key without its prefix: 43 characters of base64url are rarely anything else. */
const BARE = /[A-Za-z0-9_-]{43,}/g;

/** Whether the text holds what looks like an API key. */
export function holdsKey(text: string): boolean {
  return text.search(KEY) >= 0;
}

/** The text with every key in it made unrecognisable; a text without one is returned as it is. */
export function hideKeys(text: string): string {
  return text.replace(KEY, `${keyPrefix}…`).replace(BARE, (run) => (looksRandom(run) ? '…' : run));
}

function looksRandom(run: string): boolean {
  return /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run);
}
