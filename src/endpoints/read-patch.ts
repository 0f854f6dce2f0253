import { invalidInput } from '../errors/service-error.ts';

/** The members of a PATCH besides the number of its target version. */
export interface PatchInput {
  readonly deleted?: boolean | null | undefined;
  readonly dryRun?: boolean | null | undefined;
  readonly [member: string]: unknown;
}

export interface Patch {
  readonly kind: 'update' | 'dryRun' | 'delete';
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * What a PATCH requests: with `deleted: true`, as existing clients send it, a deletion, regardless of its other
 * members.
 */
export function readPatch({ deleted, ...input }: PatchInput): Patch {
  if (deleted !== true) return { kind: input.dryRun === true ? 'dryRun' : 'update', input };
  if (input.dryRun !== true) return { kind: 'delete', input };
  throw invalidInput('dry_run', 'A deletion cannot be run dry. Omit dry_run or deleted.');
}
