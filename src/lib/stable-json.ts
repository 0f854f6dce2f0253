/**
 * JSON with sorted object members: equal values give equal text. A bigint becomes a string that begins with NUL, which
 * no caller's string may contain, so that it equals neither a number nor a string.
 */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return `\u0000${member}`;
    if (member === null || typeof member !== 'object' || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
