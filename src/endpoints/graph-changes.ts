import { type BreakingChange, compareShapes } from '../data-graph/compare-shapes.ts';
import { toShape } from '../data-graph/to-shape.ts';
import type { Variable } from '../query/variables.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import type { EndpointChange } from '../store/endpoint-write.ts';
import { textOf } from './version-query.ts';

interface Content {
  readonly query: { readonly query?: unknown };
  readonly columns: Parameters<typeof toShape>[0]['columns'];
  readonly variables: readonly object[];
}

/** What an update breaks for callers of the endpoint's data graph field. */
export function graphChangesOf(
  { graphqlName: field, currentVersion }: EndpointRecord,
  { graphqlName: renamed, newVersion }: Pick<EndpointChange, 'graphqlName' | 'newVersion'>,
): readonly BreakingChange[] {
  const shapeOf = ({ query, columns, variables }: Content) =>
    toShape({
      field,
      description: '',
      columns,
      variables: variables as readonly Variable[],
      text: textOf(query),
    });
  const renaming: readonly BreakingChange[] =
    renamed === undefined
      ? []
      : [{ kind: 'field_renamed', place: field, message: `${field} was renamed to ${renamed}.` }];
  if (newVersion === undefined) return renaming;
  return [...renaming, ...compareShapes(shapeOf(currentVersion), shapeOf(newVersion))];
}
