/** Figures of groups, and the row order of their table. Pure. */
import type { UsageByGroupQuery } from '../generated/graphql.ts';

export type GroupLine = NonNullable<UsageByGroupQuery['usage']>['results'][number];

export const figureNames = {
  runs: 'Runs',
  errors: 'Failed',
  p50Ms: 'p50',
  p95Ms: 'p95',
  rowsRead: 'Rows read',
  engineSeconds: 'Engine time',
  processorSeconds: 'CPU time',
} as const;
export type FigureName = keyof typeof figureNames;

export function readOrder(params: URLSearchParams): FigureName {
  const given = params.get('sort') ?? '';
  return Object.hasOwn(figureNames, given) ? (given as FigureName) : 'runs';
}

/** Largest first; groups without the figure come last. */
export function inOrder(lines: readonly GroupLine[], by: FigureName): readonly GroupLine[] {
  return lines.toSorted((a, b) => (b[by] ?? -1) - (a[by] ?? -1));
}
