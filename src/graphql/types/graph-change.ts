/** What an update breaks for data graph callers. */
import type { BreakingChange } from '../../data-graph/compare-shapes.ts';
import { builder } from '../builder.ts';
import { graphChangesOf } from '../dry-run.ts';
import { Endpoint } from './endpoint.ts';

const GraphChangeKind = builder.enumType('GraphChangeKind', {
  description: 'How a change breaks callers of the data graph.',
  values: {
    field_renamed: { description: 'The field of the endpoint was renamed.' },
    field_removed: { description: 'A field of the rows was removed.' },
    field_type_changed: { description: 'The type of a field of the rows changed.' },
    argument_removed: { description: 'An argument was removed.' },
    argument_required: { description: 'An argument is now required.' },
    argument_type_changed: { description: 'The type of an argument changed.' },
    value_removed: { description: 'An argument no longer accepts one of its values.' },
  } as const satisfies Readonly<Record<BreakingChange['kind'], { readonly description: string }>>,
});

const GraphChange = builder.objectRef<BreakingChange>('GraphChange').implement({
  description: 'A change that breaks callers of the data graph.',
  fields: (t) => ({
    kind: t.expose('kind', { type: GraphChangeKind, description: 'Kind of change.' }),
    place: t.exposeString('place', {
      description: 'The affected field or argument, as in airport.rows.city or airport(code:).',
    }),
    message: t.exposeString('message', { description: 'The change, in one sentence.' }),
  }),
});

builder.prismaObjectField(Endpoint, 'graphChanges', (t) =>
  t.field({
    type: [GraphChange],
    nullable: true,
    description:
      'In the result of updateEndpoint, dry runs included: what the change breaks for callers of the data graph. Null elsewhere.',
    resolve: (endpoint) => {
      const changes = graphChangesOf(endpoint);
      return changes === null ? null : [...changes];
    },
  }),
);
