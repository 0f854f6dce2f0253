/**
 * JSON with the members of every object in one order: equal values give equal text. A bigint is a text that begins with NUL,
 * which no text of a caller may hold, so that it equals neither a number nor a text.
 */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return `\u0000${member}`;
    if (member === null || typeof member !== 'object' || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
