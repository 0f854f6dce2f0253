/** The beginning of a long name, for a message. */
export function shorten(name: string, maxLength = 100): string {
  return name.length > maxLength ? `${name.slice(0, maxLength)}…` : name;
}
