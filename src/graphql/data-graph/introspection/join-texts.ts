import type { ShapeText } from './shape-texts.ts';

/** Where the texts of all shapes stand, once or several times; the n-th such place takes the n-th text of each shape. */
export interface Place {
  readonly separator: string;
  /** Instead of the texts, when there is no shape. */
  readonly empty: string;
  /** Whether a line break with which the first text begins is left out. */
  readonly isBlock?: boolean;
}

/** So large is a piece at most, unless one text is larger. */
const pieceBytes = 262_144;

/** The fixed texts, and in each place between them the texts of all shapes: in pieces, which are copies. */
export function joinTexts(
  parts: readonly (string | Place)[],
  shapes: readonly ShapeText[],
): readonly Buffer[] {
  const out = openPieces();
  const places = placesOf(parts);
  for (const part of parts) {
    if (typeof part === 'string') out.add(Buffer.from(part));
    else if (shapes.length === 0) out.add(Buffer.from(part.empty));
    else addTexts(out, part, textsAt(shapes, places.indexOf(part)));
  }
  return out.done();
}

/** Each once. */
export function placesOf<P extends Place>(parts: readonly (string | P)[]): readonly P[] {
  return [...new Set(parts.filter((part) => typeof part !== 'string'))];
}

function textsAt(shapes: readonly ShapeText[], place: number): readonly Buffer[] {
  return shapes.flatMap((texts) => texts[place] ?? []);
}

function addTexts(out: Pieces, { separator, isBlock }: Place, texts: readonly Buffer[]): void {
  const between = Buffer.from(separator);
  texts.forEach((text, index) => {
    if (index > 0) out.add(between);
    out.add(index === 0 && isBlock && text[0] === lineBreak ? text.subarray(1) : text);
  });
}

const lineBreak = 10;

interface Pieces {
  add(bytes: Buffer): void;
  done(): readonly Buffer[];
}

function openPieces(): Pieces {
  const pieces: Buffer[] = [];
  let pending: Buffer[] = [];
  let length = 0;
  const flush = (): void => {
    if (length > 0) pieces.push(Buffer.concat(pending, length));
    pending = [];
    length = 0;
  };
  return {
    add(bytes) {
      if (length + bytes.length > pieceBytes) flush();
      pending.push(bytes);
      length += bytes.length;
    },
    done() {
      flush();
      return pieces;
    },
  };
}
