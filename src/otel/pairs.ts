/** `name=value,name=value` with percent-encoded values; the settings have validated the format. */
export function parsePairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    if (at > 0) pairs[decode(pair.slice(0, at))] = decode(pair.slice(at + 1));
  }
  return pairs;
}

function decode(text: string): string {
  return decodeURIComponent(text.trim());
}
