import { createHash } from 'node:crypto';

/** The facts that identify a state of an endpoint. */
export interface RevisedEndpoint {
  readonly id: string;
  /** Set by every change of its settings or its versions' settings; executions and syncs do not change it. */
  readonly updatedAt: Date;
  readonly isActive: boolean;
  readonly graphqlName: string;
  readonly tags: readonly string[];
  /** Part of the state because two changes may have the same time. */
  readonly currentVersion: {
    readonly id: string;
    readonly description: string;
    readonly isActive: boolean;
    readonly cacheAgeSeconds: number | null;
    readonly materialization: {
      readonly enabled: boolean;
      readonly syncFrequency: string;
      readonly maxRows: number | null;
    } | null;
  } | null;
}

/** Identifies a state of an endpoint's settings and those of its versions. */
export function endpointRevision(endpoint: RevisedEndpoint): string {
  const { id, updatedAt, isActive, graphqlName, tags, currentVersion: version } = endpoint;
  const stored = version?.materialization;
  const state = [
    [id, updatedAt.toISOString(), isActive, graphqlName, tags],
    [version?.id, version?.description, version?.isActive, version?.cacheAgeSeconds],
    [stored?.enabled, stored?.syncFrequency, stored?.maxRows],
  ];
  return createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 22);
}
