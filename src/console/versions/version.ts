import type { VersionPartsFragment } from '../generated/graphql.ts';

/** A version as the list of them has it. */
export type Version = VersionPartsFragment;
