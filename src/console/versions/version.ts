import type { VersionsQuery } from '../generated/graphql.ts';

/** A version as the list of them has it. */
export type Version = NonNullable<VersionsQuery['endpointVersions']>['edges'][number]['node'];
