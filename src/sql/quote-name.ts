/** Any name as a quoted identifier. */
export function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}

/** A table as the engine states it, `database.table`, as quoted identifiers. */
export function quoteTable(table: string): string {
  const [, database = '', name = ''] = /^(.*?)\.(.*)$/s.exec(table) ?? [];
  return `${quoteName(database)}.${quoteName(name)}`;
}

/** A text as a literal that the engine reads back unchanged. */
export function quoteText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
