/** Splits the engine's JSON into the texts of its parts, so that no digit of a number is lost. Pure. */

/** The texts of an array's elements, or of an object's members with their names. */
export function elementsOf(json: string): readonly string[] {
  const elements: string[] = [];
  let depth = 0;
  let start = 1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (code === closeBracket || code === closeBrace) {
      depth -= 1;
      if (depth === 0 && json.slice(start, at).trim() !== '')
        elements.push(json.slice(start, at).trim());
    } else if (code === comma && depth === 1) {
      elements.push(json.slice(start, at).trim());
      start = at + 1;
    }
  }
  return elements;
}

/** The texts of a row's values in column order, whether it is an array or an object. */
export function cellsOf(row: string): readonly string[] {
  const cells = elementsOf(row);
  if (row.charCodeAt(0) !== openBrace) return cells;
  return cells.map((member) =>
    member.slice(member.indexOf(':', endOfString(member, 0)) + 1).trim(),
  );
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** @param at index of the opening quote. Returns the index of the closing one. */
function endOfString(json: string, at: number): number {
  let end = at + 1;
  while (end < json.length && json.charCodeAt(end) !== quote)
    end += json.charCodeAt(end) === backslash ? 2 : 1;
  return end;
}
