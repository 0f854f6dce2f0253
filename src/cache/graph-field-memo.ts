import { LRUCache } from 'lru-cache';
import type { GraphField } from '../data-graph/graph-field.ts';
import { openSingleFlight } from '../lib/single-flight.ts';
import { weighShape } from './shape-memo.ts';

interface GraphRevision {
  readonly projectId: number;
  /** Never decreases. */
  readonly revision: number;
}

/** The fields of data graphs, for the newest revision of each project, bounded in bytes. */
export interface GraphFieldMemo {
  /** The fields of that revision or a newer one. Single flight. */
  get(
    at: GraphRevision,
    read: () => Promise<readonly GraphField[]>,
  ): Promise<readonly GraphField[]>;
}

const maxBytes = 67_108_864;
/** Size of a field without its shape, which usually belongs to the shape memo. */
const fieldBytes = 200;

interface Kept {
  readonly revision: number;
  readonly fields: readonly GraphField[];
}

export function openGraphFieldMemo(): GraphFieldMemo {
  const kept = new LRUCache<number, Kept>({
    maxSize: maxBytes,
    sizeCalculation: ({ fields }) =>
      fields.reduce((sum, { shape }) => sum + fieldBytes + weighShape(shape), fieldBytes),
  });
  const underWay = openSingleFlight<readonly GraphField[]>();
  return {
    async get({ projectId, revision }, read) {
      const found = kept.get(projectId);
      if (found !== undefined && found.revision >= revision) return found.fields;
      return underWay.join(`${projectId}/${revision}`, async () => {
        const fields = await read();
        const last = kept.peek(projectId);
        if (last === undefined || last.revision < revision)
          kept.set(projectId, { revision, fields });
        return fields;
      });
    },
  };
}
