/** The texts of shapes, cached across projects: equal shapes have equal texts. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { GraphShape } from '../../../data-graph/shape.ts';
import { openSingleFlight } from '../../../lib/single-flight.ts';

/** One way to write a shape as several texts. */
export interface ShapeWriting {
  /** Equal ids mean equal texts. */
  readonly id: string;
  /** Each array has one text per position of the writing. */
  readonly write: (shape: GraphShape) => readonly string[];
}

/** The texts of one shape, as UTF-8, by slot. */
export type ShapeText = readonly Buffer[];

export interface ShapeTexts {
  /** The texts of all shapes. Missing ones are built in turns of the event loop, with a single flight per request. */
  of(writing: ShapeWriting, shapes: readonly GraphShape[]): Promise<readonly ShapeText[]>;
  /** Bytes in the cache. */
  size(): number;
}

/** Limit over all projects. */
export const maxTextBytes = 67_108_864;

/** Memory of an entry besides its texts. */
const entryBytes = 600;
const bytesPerPlace = 150;

/** A few milliseconds of work. */
const shapesPerTurn = 40;

/** Bounded in bytes over all projects; evicts the least recently used texts. */
export function openShapeTexts(maxBytes: number): ShapeTexts {
  const known: Known = new LRUCache<string, ShapeText>({
    maxSize: maxBytes,
    sizeCalculation: (texts) =>
      texts.reduce((total, { length }) => total + length + bytesPerPlace, entryBytes),
  });
  const underWay = openSingleFlight<readonly ShapeText[]>();

  return {
    async of(writing, shapes) {
      const found = findAll(known, writing, shapes);
      if (found !== undefined) return found;
      const name = `${writing.id} ${digestOf(shapes)}`;
      return underWay.join(name, () => makeAll(known, writing, shapes));
    },
    size: () => known.calculatedSize,
  };
}

type Known = LRUCache<string, ShapeText>;

/** Undefined when some are not cached. */
function findAll(
  known: Known,
  writing: ShapeWriting,
  shapes: readonly GraphShape[],
): readonly ShapeText[] | undefined {
  const found: ShapeText[] = [];
  for (const shape of shapes) {
    const text = known.get(keyIn(writing, shape));
    if (text === undefined) return undefined;
    found.push(text);
  }
  return found;
}

async function makeAll(
  known: Known,
  writing: ShapeWriting,
  shapes: readonly GraphShape[],
): Promise<readonly ShapeText[]> {
  const texts: ShapeText[] = [];
  let made = 0;
  for (const shape of shapes) {
    const key = keyIn(writing, shape);
    const found = known.get(key);
    const text = found ?? inOneBuffer(writing.write(shape));
    texts.push(text);
    if (found !== undefined) continue;
    known.set(key, text);
    made += 1;
    if (made % shapesPerTurn === 0) await nextTurn();
  }
  return texts;
}

function keyIn({ id }: ShapeWriting, shape: GraphShape): string {
  return `${id} ${keyOf(shape)}`;
}

const keys = new WeakMap<GraphShape, string>();

/** Identifies everything that is shown of a shape: its id, and its description, which the id does not cover. */
function keyOf(shape: GraphShape): string {
  const known = keys.get(shape);
  if (known !== undefined) return known;
  const { id, description } = shape;
  const digest = createHash('sha256').update(description).digest('base64url').slice(0, 22);
  const key = description === '' ? id : `${id} ${digest}`;
  keys.set(shape, key);
  return key;
}

/** Equal digests mean that all shapes are shown identically, in the same order. */
export function digestOf(shapes: readonly GraphShape[]): string {
  const hash = createHash('sha256');
  for (const shape of shapes) hash.update(keyOf(shape)).update('\n');
  return hash.digest('base64url').slice(0, 22);
}

/** Not from Node's pool, where a small text would keep its neighbours in memory. */
function inOneBuffer(texts: readonly string[]): ShapeText {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const whole = Buffer.allocUnsafeSlow(lengths.reduce((total, length) => total + length, 0));
  let at = 0;
  return texts.map((text, index) => {
    const from = at;
    at += lengths[index] ?? 0;
    whole.write(text, from);
    return whole.subarray(from, at);
  });
}
