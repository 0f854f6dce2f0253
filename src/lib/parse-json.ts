/** No input needs deeper JSON, and walking it could exhaust the stack. */
export const maxJsonDepth = 64;

/**
 * Parses JSON with every digit of its whole numbers: those that a double cannot hold become bigints. Throws SyntaxError
 * for text that is not JSON, or is nested deeper than `maxJsonDepth`.
 */
export function parseJson(text: string): unknown {
  if (depthOf(text) > maxJsonDepth)
    throw new SyntaxError(`JSON is nested deeper than ${maxJsonDepth}`);
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}

/**
 * A reviver for `JSON.parse` that turns whole numbers too large for a double into bigints. `context.source` is the
 * number as written. Source: TC39 JSON.parse source text access.
 */
export function keepDigits(
  _key: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? toWholeNumber(source) : value;
}

/** No type of the engine has more digits, and parsing them takes superlinear time. */
const maxDigits = 1000;

/** The value of an optional minus and digits: exact as a number or a bigint, unless there are too many digits. */
export function toWholeNumber(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) || text.length > maxDigits ? number : BigInt(text);
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (inText) {
      if (char === 92) at += 1;
      else if (char === 34) inText = false;
    } else if (char === 34) inText = true;
    else if (char === 91 || char === 123) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (char === 93 || char === 125) depth -= 1;
  }
  return deepest;
}
