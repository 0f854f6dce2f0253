/** The value of a JSON text whose numbers need no more digits than a double has; undefined for what is not JSON. */
export function parsePlainJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
