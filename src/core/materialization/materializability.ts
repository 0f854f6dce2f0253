import { ServiceError } from '../../domain/errors.ts';

/** Whether a version can be materialized and, when not, the one reason that its author can act on. */
export interface Materializability {
  readonly canMaterialize: boolean;
  readonly reason: string | null;
}

/** This release computes every result inline; a later one brings the planner that decides by the query. */
export const materializability: Materializability = {
  canMaterialize: false,
  reason:
    'This release of Querydock does not materialize yet. Runs are answered inline and from the result cache.',
};

/** Throws `cannot_materialize` with the reason. */
export function requireMaterializable(): void {
  if (materializability.canMaterialize) return;
  throw new ServiceError(
    'cannot_materialize',
    `Cannot materialize endpoint. ${materializability.reason}`,
    {
      attr: 'is_materialized',
    },
  );
}
