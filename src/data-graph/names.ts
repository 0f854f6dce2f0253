/**
 * Names in the data graph. Those of endpoints are assigned once and stored; those of columns and variables are derived
 * from one version.
 */

const longest = 128;
const words = /[\p{L}\p{N}]+/gu;
const PLAIN = /^[a-z][A-Za-z0-9]{0,127}$/;

/**
 * `avg_delay`, `Avg-Delay` and `avg(delay)` become `avgDelay`, `2xx` becomes `_2xx`, `_id` stays. Accents and non-ASCII
 * letters are dropped. Empty when nothing is left. At most 128 characters.
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

/** Leading capitals are lowered together: `ID` becomes `id`, `URLPath` becomes `urlPath`. */
function lowerFirst(word: string): string {
  return word.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (head) => head.toLowerCase());
}

function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * The prefix of a field's types: `airportDelays` has `AirportDelaysRun`, `_usage` has `_UsageRun`. One to one, because
 * fields begin with a lower-case letter, those of built-in endpoints after an underscore.
 */
export function pascalCase(field: string): string {
  return field.startsWith('_') ? `_${upperFirst(field.slice(1))}` : upperFirst(field);
}

/** The name, with `_2`, `_3` … appended when it is taken. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted;
  for (let n = 2; isTaken(name); n += 1) name = `${wanted}_${n}`;
  return name;
}

/**
 * The field of a new endpoint, derived from the endpoint's name: it begins with an ASCII letter. The database does the
 * same for processes of a version without fields (`endpoint_camel_case` in prisma/migrations).
 */
export function fieldName(endpointName: string, isTaken: (name: string) => boolean): string {
  return freeName(camelCase(endpointName), isTaken);
}

/** The field of an older version, beside the endpoint's own field. No endpoint's own field has this ending. */
export function versionField(field: string, version: number): string {
  return `${field}_v${version}`;
}

const FIELD = /^[a-z]\w{0,127}$/;
const OF_VERSION = /_v\d+$/;

/** Why an author may not choose this field name; null when it is allowed. */
export function refusalOfField(name: string): string | null {
  if (!FIELD.test(name)) {
    return 'A name in the data graph must be a lowercase letter, then up to 127 letters, digits or underscores.';
  }
  if (OF_VERSION.test(name)) {
    return 'A name in the data graph must not end in _v and a number: such names are reserved for the fields of older versions.';
  }
  return null;
}

/** Names of a version's columns, in their order. */
export function columnNames(texts: readonly string[]): readonly string[] {
  return namesOf(texts, 'column');
}

/** Arguments of every field, in addition to its endpoint's variables. */
export const runArgument = 'run';
export const orderArgument = 'orderBy';

/** Names of a version's variables, in their order. */
export function argumentNames(texts: readonly string[]): readonly string[] {
  return namesOf(texts, 'argument', [runArgument, orderArgument]);
}

/** Texts that already are valid names keep them; the others follow in order. */
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
 * The type of a column or an argument: `AirportRow_location`. A part that ends like a field's types gets `Type`
 * appended, so that no type of another field has the same name.
 */
export function nestedTypeName(owner: string, part: string): string {
  return `${owner}_${part.replace(ENDING, '$&Type')}`;
}

const ENUM_MEMBER = /^(?!__|(?:true|false|null)$)[A-Za-z_]\w*$/;

/** Whether the text can be a member of a GraphQL enum. */
export function isEnumMember(text: string): boolean {
  return ENUM_MEMBER.test(text);
}
