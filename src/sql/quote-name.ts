/** Any name as a quoted identifier. */
export function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}

/** A text as a literal that the engine reads back unchanged. */
export function quoteText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
