/** Endings of the types that belong to a field; only the last one in a name can be its field's. See nestedTypeName. */
const ENDINGS = /(?:Run|Row|Order|Column)(?=_|$)/g;

/** The field that a type belongs to: `airport` for `AirportRow_location`. Null when it belongs to none. */
export function fieldOfType(typeName: string): string | null {
  const last = [...typeName.matchAll(ENDINGS)].at(-1);
  const pascal = last === undefined ? '' : typeName.slice(0, last.index);
  return pascal === '' ? null : pascal.replace(/^_?[A-Z]/, (head) => head.toLowerCase());
}
