/** JSON that loses no digit, in browsers that parse every number as a double. Pure. */

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Numbers that a double would write differently become strings of their digits. Throws a SyntaxError for invalid JSON.
 *
 * @param mark what these strings begin with, as JSON.
 */
export function parseExact(text: string, mark = ''): unknown {
  const isKept = (part: string) => part.startsWith('"') || String(Number(part)) === part;
  return JSON.parse(text.replace(token, (part) => (isKept(part) ? part : `"${mark}${part}"`)));
}

/** A value as its JSON, in which every number is as it was written. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** As `JSON.stringify` does, but with each `RawJson` as its text. Takes values that JSON can hold. */
export function toJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toJson(member)}`).join(',')}}`;
}
