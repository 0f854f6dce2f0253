import type { Prisma } from '../generated/prisma/client.ts';

/** The filter of a list of endpoints; all conditions must be met. */
export interface EndpointListFilter {
  readonly isActive?: boolean | null | undefined;
  readonly isMaterialized?: boolean | null | undefined;
  /** Id of a user. */
  readonly createdBy?: number | null | undefined;
  /** The endpoint must have all of these labels. */
  readonly tags?: readonly string[] | null | undefined;
  /** Substring of a name or a description, ignoring case. */
  readonly search?: string | null | undefined;
}

export interface EndpointList {
  readonly projectId: number;
  readonly filter: EndpointListFilter;
  /** Rows to skip. */
  readonly offset: number;
}

/** Endpoints and versions by their ids. */
export interface NodeList {
  readonly ids: readonly string[];
  /** Null for every project. */
  readonly projectIds: readonly number[] | null;
}

export interface EndpointListQuery {
  readonly where: Prisma.EndpointWhereInput;
  readonly orderBy: Prisma.EndpointOrderByWithRelationInput[];
  readonly skip: number;
}

/**
 * Builds the list query: newest first, in an order that stays stable when rows are added; one statement for any number
 * of rows.
 */
export function toListQuery({ projectId, filter, offset }: EndpointList): EndpointListQuery {
  const { isActive, isMaterialized, createdBy, search, tags } = filter;
  const enabled = { currentVersion: { materialization: { enabled: isMaterialized === true } } };
  return {
    skip: offset,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    where: {
      projectId,
      ...(isActive == null ? {} : { isActive }),
      ...(createdBy == null ? {} : { createdById: createdBy }),
      ...(isMaterialized == null ? {} : enabled),
      ...(tags == null ? {} : { tags: { hasEvery: [...tags] } }),
      ...(search == null || search === '' ? {} : { OR: searched(search) }),
    },
  };
}

/** The filter of a list of versions; all conditions must be met. */
export interface VersionListFilter {
  readonly isActive?: boolean | null | undefined;
  /** Id of a user. */
  readonly createdBy?: number | null | undefined;
}

export function toVersionQuery(
  endpointId: string,
  { isActive, createdBy }: VersionListFilter,
): Prisma.EndpointVersionWhereInput {
  return {
    endpointId,
    ...(isActive == null ? {} : { isActive }),
    ...(createdBy == null ? {} : { createdById: createdBy }),
  };
}

/** The listed endpoints that can run: the endpoint and its current version are active. Oldest first. */
export function toRunnableQuery(list: EndpointList): Pick<EndpointListQuery, 'where' | 'orderBy'> {
  const { where } = toListQuery({ ...list, filter: { ...list.filter, isActive: true } });
  return {
    where: { AND: [where, { currentVersion: { isActive: true } }] },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  };
}

export function toNodeQuery({ ids, projectIds }: NodeList): {
  readonly endpoints: Prisma.EndpointWhereInput;
  readonly versions: Prisma.EndpointVersionWhereInput;
} {
  const id = { in: [...ids] };
  const ofProject = projectIds === null ? {} : { projectId: { in: [...projectIds] } };
  return { endpoints: { id, ...ofProject }, versions: { id, endpoint: ofProject } };
}

function searched(text: string): Prisma.EndpointWhereInput[] {
  const contains = { contains: text.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
  return [{ name: contains }, { currentVersion: { description: contains } }];
}
