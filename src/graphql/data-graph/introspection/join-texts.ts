import type { ShapeText } from './shape-texts.ts';

/**
 * A position for the texts of all shapes, which may occur several times; the n-th position takes each shape's n-th
 * text.
 */
export interface Place {
  readonly separator: string;
  /** Used when there is no shape. */
  readonly empty: string;
  /** Whether to drop a line break at the start of the first text. */
  readonly isBlock?: boolean;
}

/** Maximum size of a piece, unless a single text is larger. */
const pieceBytes = 262_144;

/** Joins the fixed texts, with the texts of all shapes at each position between them: in pieces, which are copies. */
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

/** Without duplicates. */
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
