/** Which format an `Accept` header requests. Source: RFC 9110, 12.5.1. */
import { ServiceError } from '../errors/service-error.ts';
import { mediaTypes, type ResultFormat, resultFormats } from '../model/result-format.ts';

interface Range {
  readonly type: string;
  readonly subtype: string;
  /** From 0 to 1; 0: not acceptable. */
  readonly quality: number;
}

/**
 * The format of the highest quality. On a tie an exact type wins over a wildcard, then the documented order decides,
 * JSON first. Throws `not_acceptable` when none fits.
 */
export function formatOfAccept(header: string | null): ResultFormat {
  if (header === null || header.trim() === '') return 'json';
  const ranges = header.split(',').flatMap(toRange);
  let best: { format: ResultFormat; quality: number; closeness: number } | null = null;
  for (const format of resultFormats) {
    const match = closestTo(mediaTypes[format], ranges);
    if (match === null || match.quality === 0) continue;
    const isBetter =
      best === null ||
      match.quality > best.quality ||
      (match.quality === best.quality && match.closeness > best.closeness);
    if (isBetter) best = { format, ...match };
  }
  if (best !== null) return best.format;
  const offered = Object.values(mediaTypes).join(', ');
  throw new ServiceError(
    'not_acceptable',
    `None of the media types in Accept is available. The result of a run is available as ${offered}.`,
  );
}

/** Ignores a malformed range. */
function toRange(text: string): readonly Range[] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [type = '', subtype = ''] = name.split('/');
  if (type === '' || subtype === '') return [];
  const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (given === undefined) return [{ type, subtype, quality: 1 }];
  const quality = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(given)?.[1];
  return quality === undefined ? [] : [{ type, subtype, quality: Number(quality) }];
}

/** The quality from the most specific range that matches: 2 for the type itself, 1 for its family, 0 for any type. */
function closestTo(
  mediaType: string,
  ranges: readonly Range[],
): { readonly quality: number; readonly closeness: number } | null {
  const [type = '', subtype = ''] = mediaType.split('/');
  const closeness = [
    (range: Range) => range.type === type && range.subtype === subtype,
    (range: Range) => range.type === type && range.subtype === '*',
    (range: Range) => range.type === '*' && range.subtype === '*',
  ];
  for (const [at, fits] of closeness.entries()) {
    const found = ranges.filter(fits);
    if (found.length === 0) continue;
    const quality = Math.max(...found.map((range) => range.quality));
    return { quality, closeness: closeness.length - 1 - at };
  }
  return null;
}
