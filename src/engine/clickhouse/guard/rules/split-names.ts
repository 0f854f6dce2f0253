/** The names of a list that is written as text. */
export function splitNames(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
