import type { VersionPartsFragment } from '../generated/graphql.ts';

/** A version as listed. */
export type Version = VersionPartsFragment;
