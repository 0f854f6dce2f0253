/** The representation of a live result that sends changed rows instead of all rows. */
import { invalidInput } from '../errors/service-error.ts';
import type { Rendered } from '../live/channel.ts';
import type { RunContent } from '../live/content.ts';
import { changesOf, type KeyedRows, keyRows, type RowChanges } from '../live/row-changes.ts';
import type { Representation } from '../live/sources.ts';
import type { RunResponse } from '../runs/run-response.ts';
import { toRunBody } from './render-run.ts';

export interface ChangesInput {
  readonly changes?: boolean | undefined;
  readonly key?: readonly string[] | undefined;
}

/** Null when all rows are requested. Throws `invalid_input`. */
export function changesKeyOf({ changes, key }: ChangesInput): readonly string[] | null {
  if (changes !== true) {
    if (key !== undefined) throw invalidInput('key', 'key requires changes=true.');
    return null;
  }
  if (key !== undefined && key.length > 0 && key.every((name) => name !== '')) return key;
  throw invalidInput(
    'key',
    'With changes=true, key must name the columns that identify a row uniquely, separated by commas.',
  );
}

interface Previous {
  readonly tag: string;
  readonly keyed: KeyedRows;
  readonly version: number;
  readonly columns: string;
}

export function changedRows(key: readonly string[]): Representation<RunContent> {
  return {
    name: `rest changes ${JSON.stringify(key)}`,
    open() {
      let previous: Previous | null = null;
      return ({ run, tag }) => {
        const columns = run.columns.map(({ name }) => name);
        // Latin-1 maps each byte to one character, so the bytes survive unchanged.
        const keyed = keyRows(run.rows.toString('latin1'), columns, key);
        const shape = JSON.stringify(run.columns);
        const before =
          previous?.version === run.version && previous.columns === shape ? previous : null;
        previous = { tag, keyed, version: run.version, columns: shape };
        const data = Buffer.concat(toRunBody(run));
        const changes = before === null ? null : render(before, keyed, run);
        return {
          data,
          changes: changes === null || changes.data.length >= data.length ? null : changes,
          keptBytes: run.rows.length + bytesPerRow * keyed.rows.size,
        };
      };
    },
  };
}

/** Overhead of a row's text and its key's text, besides their characters. */
const bytesPerRow = 200;

function render(before: Previous, after: KeyedRows, run: RunResponse): Rendered['changes'] {
  const changes = changesOf(before.keyed, after);
  if (changes === null) return null;
  const facts = {
    hasMore: run.hasMore,
    next_cursor: run.nextCursor,
    last_refresh: run.lastRefresh,
    cache_target_age: run.cacheTargetAge,
    execution_id: run.executionId,
  };
  const text = `${rowsText(changes)},${JSON.stringify(facts).slice(1)}`;
  return { since: before.tag, data: Buffer.from(text, 'latin1') };
}

function rowsText({ came, went, changed }: RowChanges): string {
  const arrivals = came.map(({ at, row }) => `{"at":${at},"row":${row}}`);
  return `{"came":[${arrivals.join()}],"went":[${went.join()}],"changed":[${changed.join()}]`;
}
