import { LRUCache } from 'lru-cache';
import type { GraphShape } from '../data-graph/shape.ts';
import { type ShapeSource, toShape, toVersionShape } from '../data-graph/to-shape.ts';
import { defineMemo } from '../lib/memo.ts';

interface ShapeKey {
  readonly versionId: string;
  readonly columnsRevision: number;
  /** The endpoint's field. */
  readonly field: string;
}

/**
 * Shapes of versions, bounded in bytes. Each is built once per set of columns, whatever happens to the version's
 * description.
 */
export interface ShapeMemo {
  /** Undefined when it has to be built. */
  find(key: ShapeKey, description: string): GraphShape | undefined;
  get(key: ShapeKey, content: Omit<ShapeSource, 'field' | 'versionSuffix'>): GraphShape;
  /** A shape of this memo as the field of an older version. */
  ofVersion(shape: GraphShape, version: number): GraphShape;
}

const maxBytes = 67_108_864;
const memo = defineMemo('shape of a version');

export function openShapeMemo(): ShapeMemo {
  const shapes = new LRUCache<string, GraphShape>({
    maxSize: maxBytes,
    sizeCalculation: weighShape,
  });
  const older = new WeakMap<GraphShape, GraphShape>();

  function find(key: ShapeKey, description: string): GraphShape | undefined {
    const found = memo.isOn ? shapes.get(textOf(key)) : undefined;
    if (found === undefined || found.description === description) return found;
    return remember(key, { ...found, description });
  }

  function remember(key: ShapeKey, shape: GraphShape): GraphShape {
    shapes.set(textOf(key), shape);
    return shape;
  }

  return {
    find,
    get(key, content) {
      const found = find(key, content.description);
      return found ?? remember(key, toShape({ ...content, field: key.field }));
    },
    ofVersion(shape, version) {
      const found = memo.isOn ? older.get(shape) : undefined;
      if (found !== undefined) return found;
      const made = toVersionShape(shape, version);
      older.set(shape, made);
      return made;
    },
  };
}

function textOf({ versionId, columnsRevision, field }: ShapeKey): string {
  return `${versionId}/${columnsRevision}/${field}`;
}

/** Approximate memory of a shape in bytes. */
export function weighShape({ columns, args, objects, enums, description }: GraphShape): number {
  const members = [
    ...objects.flatMap(({ fields }) => fields),
    ...enums.flatMap((one) => one.members),
  ];
  return 1000 + 2 * description.length + 300 * (columns.length + args.length + members.length);
}
