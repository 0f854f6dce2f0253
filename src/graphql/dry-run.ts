/** The answer to a dry run: what would result, as an object that nothing else is. */
import { randomUUID } from 'node:crypto';
import type { BreakingChange } from '../data-graph/compare-shapes.ts';
import type { DryRun } from '../endpoints/dry-run.ts';
import type { QueryCheck } from '../endpoints/query-check.ts';
import { invalidInput } from '../errors/service-error.ts';

const ids: ReadonlySet<string> = new Set(['id', 'endpointId', 'currentVersionId', 'versionId']);
/** JSON of authors. */
const asWritten: ReadonlySet<string> = new Set(['query', 'columns', 'variables', 'plan']);

interface Remarks {
  readonly check: QueryCheck | null;
  readonly graphChanges: readonly BreakingChange[] | null;
}

const remarks = new WeakMap<object, Remarks>();

/**
 * A copy of a loaded endpoint whose ids are new, so that a normalizing cache does not take what would result for what
 * is; `checkOf` finds the check of its query.
 */
export function toDryRunAnswer<T extends object>({ result, ...rest }: DryRun<T>): T {
  const renamed = new Map<string, string>();
  return withRemarks(withNewIds(result, renamed) as T, rest);
}

/** The answer to a write, whose remarks `checkOf` and `graphChangesOf` find. */
export function withRemarks<T extends object>(answer: T, told: Remarks): T {
  remarks.set(answer, told);
  return answer;
}

/** The objects of answers. */
const answers = new WeakSet<object>();

/**
 * How a row that is shown is found again, for what its first statement could not load. Throws `invalid_input` for the
 * result of a dry run, which is nowhere.
 */
export function findAgain(row: { readonly id: string }): { readonly id: string } {
  if (!answers.has(row)) return { id: row.id };
  throw invalidInput(
    'dry_run',
    'A dry run shows each list and version of its result once. Select it under one alias, with one set of arguments.',
  );
}

/** Null for what is no answer to a dry run, or to one without a query. */
export function checkOf(endpoint: object): QueryCheck | null {
  return remarks.get(endpoint)?.check ?? null;
}

/** Null for what is no answer to an update. */
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
  answers.add(copy);
  return copy;
}

function newIdOf(id: string, renamed: Map<string, string>): string {
  const fresh = renamed.get(id) ?? randomUUID();
  renamed.set(id, fresh);
  return fresh;
}
