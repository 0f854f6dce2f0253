/**
 * JSON whose numbers keep every digit. A number that a double cannot hold, or would write differently, becomes a raw
 * number, which `JSON.stringify` writes unchanged; in a browser without raw numbers it becomes a string of its digits.
 */

// GraphiQL writes its responses with the same functions, so these stay exact too.
Object.assign(JSON, globalThis.browserJson);

const knowsRaw = typeof JSON.rawJSON === 'function';

export function parseExact(text) {
  const mark = knowsRaw ? crypto.randomUUID() : '';
  const quoted = quoteWide(text, mark);
  if (quoted === text || !knowsRaw) return JSON.parse(quoted);
  const isMarked = (value) => typeof value === 'string' && value.startsWith(mark);
  return JSON.parse(quoted, (_name, value) =>
    isMarked(value) ? JSON.rawJSON(value.slice(mark.length)) : value,
  );
}

/** Skips strings and names. */
function quoteWide(text, mark) {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${mark}${token}"`,
  );
}

export function isRaw(value) {
  return knowsRaw && JSON.isRawJSON(value);
}

/** The complete text of a value, with all digits. */
export function textOf(value) {
  if (value === null || value === undefined) return 'null';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** For a chart, where a double is exact enough; null when it is not a number. */
export function numberOf(value) {
  const isDigits = typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value);
  if (typeof value !== 'number' && !isRaw(value) && !isDigits) return null;
  const number = Number(textOf(value));
  return Number.isFinite(number) ? number : null;
}
