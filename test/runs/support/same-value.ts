/** Whether a reader found the value that was expected. */
import { isDeepStrictEqual } from 'node:util';
import { parseJson, type Tree } from './read-formats.ts';
import type { Binary } from './value-cases.ts';

/** The readers of the bytes; each loses a part of some values. */
export type Reader = 'apache-arrow' | 'hyparquet' | 'engine';

export function isSameValue(expected: Binary, found: Tree, reader: Reader): boolean {
  if (expected === null || found === null) return expected === found;
  if (typeof expected === 'string') {
    return typeof found === 'string' && isSameScalar(expected, found, reader);
  }
  if (typeof found === 'string') return false;
  if (Array.isArray(expected)) return isSameList(expected, found, reader);
  const given = found as { readonly [name: string]: Tree };
  if ('entries' in expected && Array.isArray(expected.entries)) {
    return isSameMap(expected.entries, given, reader);
  }
  return isSameStruct(expected as { readonly [name: string]: Binary }, given, reader);
}

function isSameList(expected: readonly Binary[], found: Tree, reader: Reader): boolean {
  if (!Array.isArray(found) || found.length !== expected.length) return false;
  return expected.every((value, at) => isSameValue(value, found[at] as Tree, reader));
}

function isSameStruct(
  expected: { readonly [name: string]: Binary },
  found: { readonly [name: string]: Tree },
  reader: Reader,
): boolean {
  const names = Object.keys(expected);
  if (!isDeepStrictEqual(names.toSorted(), Object.keys(found).toSorted())) return false;
  return names.every((name) => isSameValue(expected[name] ?? null, found[name] ?? null, reader));
}

/** Readers make objects of maps, whose keys are texts. */
function isSameMap(
  expected: readonly (readonly [string, Binary])[],
  found: { readonly [name: string]: Tree },
  reader: Reader,
): boolean {
  const names = Object.keys(found);
  if (names.length !== expected.length) return false;
  return expected.every(([key, value]) => {
    const name = names.find((one) =>
      [one, JSON.stringify(one)].some((text) => isSameScalar(key, text, reader)),
    );
    return name !== undefined && isSameValue(value, found[name] ?? null, reader);
  });
}

function isSameScalar(expected: string, found: string, reader: Reader): boolean {
  const kind = expected.slice(0, expected.indexOf(':'));
  const value = expected.slice(kind.length + 1);
  switch (kind) {
    case 'int':
      return found === value;
    case 'text':
    case 'date':
      return found === JSON.stringify(value) || parsed(found) === value;
    case 'json':
      return isDeepStrictEqual(parseJson(parsed(found)), parseJson(value));
    case 'time':
      return instantOf(value, reader) === instantOf(parsed(found), reader);
    case 'decimal':
      // hyparquet makes a floating point number of it.
      return reader === 'hyparquet'
        ? isNear(value, found)
        : trimmed(parsed(found)) === trimmed(value);
    case 'single':
      return Object.is(Math.fround(floatOf(value)), Math.fround(floatOf(found)));
    default:
      return Object.is(floatOf(value), floatOf(found));
  }
}

/** The text inside the quotes, if it has any. */
function parsed(found: string): string {
  return /^"(?:[^"\\]|\\.)*"$/.test(found) ? String(JSON.parse(found)) : found;
}

/** The packages read times to the millisecond; how many zeros end a fraction is the format's. */
function instantOf(text: string, reader: Reader): string {
  const [, seconds = '', fraction = ''] = /^(.*:\d\d)(?:\.(\d+))?Z$/.exec(text) ?? [];
  const kept = reader === 'engine' ? fraction : fraction.slice(0, 3);
  return `${seconds}.${kept.replace(/0+$/, '')}`;
}

function isNear(expected: string, found: string): boolean {
  return Math.abs(Number(expected) - Number(found)) <= Math.abs(Number(expected)) * 1e-9;
}

/** The engine's reader drops zeros at the end of a key. */
function trimmed(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}

const denormals: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
};

function floatOf(text: string): number {
  const plain = parsed(text);
  return denormals[plain] ?? Number(plain);
}
