/** Names in the data graph. Those of endpoints are given once and stored; those of columns and variables follow from one version. */

const longest = 128;
const words = /[\p{L}\p{N}]+/gu;
const PLAIN = /^[a-z][A-Za-z0-9]{0,127}$/;

/**
 * `avg_delay`, `Avg-Delay` and `avg(delay)` become `avgDelay`, `2xx` becomes `_2xx`, `_id` stays. Accents are dropped, as are
 * letters other than those of ASCII. Empty when nothing is left. At most 128 characters.
 */
export function camelCase(text: string): string {
  if (PLAIN.test(text)) return text;
  const found = (unaccented(text).match(words) ?? []).map((word) =>
    word.replace(/[^A-Za-z0-9]/g, ''),
  );
  const [first = '', ...rest] = found.filter((word) => word !== '');
  const joined = [lowerFirst(first), ...rest.map(upperFirst)].join('');
  const isMarked = joined !== '' && /^_(?!_)/.test(text);
  const name = isMarked || /^\d/.test(joined) ? `_${joined}` : joined;
  return name.slice(0, longest);
}

function unaccented(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '');
}

/** Capitals at the beginning are lowered together: `ID` becomes `id`, `URLPath` becomes `urlPath`. */
function lowerFirst(word: string): string {
  return word.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (head) => head.toLowerCase());
}

function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * What the types of a field begin with: `airportDelays` has `AirportDelaysRun`, `_usage` has `_UsageRun`. One to one, as fields begin
 * with a small letter, those of built-in endpoints after an underscore.
 */
export function pascalCase(field: string): string {
  return field.startsWith('_') ? `_${upperFirst(field.slice(1))}` : upperFirst(field);
}

/** The name, with `_2`, `_3` behind it when it is taken. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted;
  for (let n = 2; isTaken(name); n += 1) name = `${wanted}_${n}`;
  return name;
}

/**
 * Of the field of a new endpoint, whose name is that of an endpoint: it begins with a letter of ASCII. The database does the same for
 * processes of a version that knew no fields (`endpoint_camel_case` in prisma/migrations).
 */
export function fieldName(endpointName: string, isTaken: (name: string) => boolean): string {
  return freeName(camelCase(endpointName), isTaken);
}

/** Of the field of an older version, beside that of the endpoint's current one. No endpoint's own field ends so. */
export function versionField(field: string, version: number): string {
  return `${field}_v${version}`;
}

const FIELD = /^[a-z]\w{0,127}$/;
const OF_VERSION = /_v\d+$/;

/** Why an author may not choose this name for the field of an endpoint; null when it may be chosen. */
export function refusalOfField(name: string): string | null {
  if (!FIELD.test(name)) {
    return 'A name in the data graph is a small letter, then up to 127 letters, digits or underscores.';
  }
  if (OF_VERSION.test(name)) {
    return 'A name in the data graph does not end in _v and a number: such fields are those of older versions.';
  }
  return null;
}

/** Of a version's columns, in their order. */
export function columnNames(texts: readonly string[]): readonly string[] {
  return namesOf(texts, 'column');
}

/** Arguments of every field, beside the variables of its endpoint. */
export const runArgument = 'run';
export const orderArgument = 'orderBy';

/** Of a version's variables, in their order. */
export function argumentNames(texts: readonly string[]): readonly string[] {
  return namesOf(texts, 'argument', [runArgument, orderArgument]);
}

/** Those whose text is a name already keep it, the others follow in their order. */
function namesOf(
  texts: readonly string[],
  fallback: string,
  reserved: readonly string[] = [],
): readonly string[] {
  const wanted = texts.map((text, at) => camelCase(text) || `${fallback}${at + 1}`);
  const taken = new Set(reserved);
  const names: string[] = [...wanted];
  const give = (at: number): void => {
    const name = freeName(wanted[at] ?? '', (one) => taken.has(one));
    taken.add(name);
    names[at] = name;
  };
  const isName = (text: string, at: number): boolean => wanted[at] === text;
  for (const [at, text] of texts.entries()) if (isName(text, at)) give(at);
  for (const [at, text] of texts.entries()) if (!isName(text, at)) give(at);
  return names;
}

const ENDING = /(?:Run|Row|Order|Column)(?:Type)*(?=_|$)/g;

/**
 * Of a type that belongs to a column or an argument: `AirportRow_location`. A part that ends as the types of fields do gets
 * `Type` behind it, so that no type of another field has the same name.
 */
export function nestedTypeName(owner: string, part: string): string {
  return `${owner}_${part.replace(ENDING, '$&Type')}`;
}

const ENUM_MEMBER = /^(?!__|(?:true|false|null)$)[A-Za-z_]\w*$/;

/** Whether an enum of GraphQL can have this member. */
export function isEnumMember(text: string): boolean {
  return ENUM_MEMBER.test(text);
}
