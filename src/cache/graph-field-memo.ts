import { LRUCache } from 'lru-cache';
import type { GraphField } from '../data-graph/graph-field.ts';
import { openSingleFlight } from '../lib/single-flight.ts';
import { weighShape } from './shape-memo.ts';

/** The data graph of a project at one of its revisions. */
export interface GraphRevision {
  readonly projectId: number;
  /** Never goes back. */
  readonly revision: number;
}

/** The fields of data graphs, those of the newest revision of each project, bounded in bytes. */
export interface GraphFieldMemo {
  /** Those of that revision or of a newer one. They are read once for all who ask for them at the same time. */
  get(
    at: GraphRevision,
    read: () => Promise<readonly GraphField[]>,
  ): Promise<readonly GraphField[]>;
}

const maxBytes = 67_108_864;
/** Of a field beside its shape, which is mostly that of the memo of shapes. */
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
