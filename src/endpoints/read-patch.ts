/** The members of a PATCH besides the number of its target version. */
export interface PatchInput {
  readonly deleted?: boolean | null | undefined;
  readonly [member: string]: unknown;
}

export interface Patch {
  readonly kind: 'update' | 'delete';
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a PATCH asks for: with `deleted: true` a deletion, as existing clients send it, whatever else it names. */
export function readPatch({ deleted, ...input }: PatchInput): Patch {
  return { kind: deleted === true ? 'delete' : 'update', input };
}
