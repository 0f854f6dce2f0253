/** Media ranges of an `Accept` header. Source: RFC 9110, 12.5.1. */
export interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  /** From 0 (not acceptable) to 1. */
  readonly quality: number;
}

/** Skips malformed ranges. */
export function readAccept(header: string): readonly MediaRange[] {
  return header.split(',').flatMap(toRange);
}

function toRange(text: string): readonly MediaRange[] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [type = '', subtype = ''] = name.split('/');
  if (type === '' || subtype === '') return [];
  const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (given === undefined) return [{ type, subtype, quality: 1 }];
  const quality = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(given)?.[1];
  return quality === undefined ? [] : [{ type, subtype, quality: Number(quality) }];
}

export interface Acceptance {
  readonly quality: number;
  /** 2 for the exact type, 1 for its family, 0 for any type. */
  readonly closeness: number;
}

/** How a media type is accepted, by the most specific matching range; null when none matches. */
export function acceptanceOf(mediaType: string, ranges: readonly MediaRange[]): Acceptance | null {
  const [type = '', subtype = ''] = mediaType.split('/');
  const closeness = [
    (range: MediaRange) => range.type === type && range.subtype === subtype,
    (range: MediaRange) => range.type === type && range.subtype === '*',
    (range: MediaRange) => range.type === '*' && range.subtype === '*',
  ];
  for (const [at, fits] of closeness.entries()) {
    const found = ranges.filter(fits);
    if (found.length === 0) continue;
    const quality = Math.max(...found.map((range) => range.quality));
    return { quality, closeness: closeness.length - 1 - at };
  }
  return null;
}
