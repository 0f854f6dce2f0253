/** The result of a dry run: the resulting object, marked as such. */
import { randomUUID } from 'node:crypto';
import type { BreakingChange } from '../data-graph/compare-shapes.ts';
import type { DryRun } from '../endpoints/dry-run.ts';
import type { QueryCheck } from '../endpoints/query-check.ts';
import { invalidInput } from '../errors/service-error.ts';

const ids: ReadonlySet<string> = new Set(['id', 'endpointId', 'currentVersionId', 'versionId']);
/** Members with authors' JSON. */
const asWritten: ReadonlySet<string> = new Set(['query', 'columns', 'variables', 'plan']);

interface Remarks {
  readonly check: QueryCheck | null;
  readonly graphChanges: readonly BreakingChange[] | null;
}

const remarks = new WeakMap<object, Remarks>();

/**
 * A copy of a loaded endpoint with new ids, so that a normalizing cache does not confuse it with the stored one;
 * `checkOf` returns its query's check.
 */
export function toDryRunResult<T extends object>({ result, ...rest }: DryRun<T>): T {
  const renamed = new Map<string, string>();
  return withRemarks(withNewIds(result, renamed) as T, rest);
}

/** Attaches to a write's result what `checkOf` and `graphChangesOf` return. */
export function withRemarks<T extends object>(answer: T, added: Remarks): T {
  remarks.set(answer, added);
  return answer;
}

/** Result objects of dry runs. */
const dryRunResults = new WeakSet<object>();

/**
 * The key for reloading a shown row, for fields that its first statement could not load. Throws `invalid_input` for the
 * result of a dry run, which is not stored.
 */
export function findAgain(row: { readonly id: string }): { readonly id: string } {
  if (!dryRunResults.has(row)) return { id: row.id };
  throw invalidInput(
    'dry_run',
    'A dry run shows each list and version of its result once. Select it under one alias, with one set of arguments.',
  );
}

/** Null unless the object is the result of a dry run with a query. */
export function checkOf(endpoint: object): QueryCheck | null {
  return remarks.get(endpoint)?.check ?? null;
}

/** Null unless the object is the result of an update. */
export function graphChangesOf(endpoint: object): readonly BreakingChange[] | null {
  return remarks.get(endpoint)?.graphChanges ?? null;
}

function withNewIds(value: unknown, renamed: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withNewIds(item, renamed));
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (ids.has(name) && typeof member === 'string') return [name, newIdOf(member, renamed)];
    return [name, asWritten.has(name) ? member : withNewIds(member, renamed)];
  });
  const copy: object = Object.fromEntries(members);
  dryRunResults.add(copy);
  return copy;
}

function newIdOf(id: string, renamed: Map<string, string>): string {
  const fresh = renamed.get(id) ?? randomUUID();
  renamed.set(id, fresh);
  return fresh;
}
