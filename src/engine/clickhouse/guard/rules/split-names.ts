/** Splits a list of names written as text. */
export function splitNames(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
