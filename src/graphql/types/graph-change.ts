/** What an update breaks for callers of the data graph. */
import type { BreakingChange } from '../../data-graph/compare-shapes.ts';
import { builder } from '../builder.ts';
import { graphChangesOf } from '../dry-run.ts';
import { Endpoint } from './endpoint.ts';

const GraphChangeKind = builder.enumType('GraphChangeKind', {
  description: 'How a change breaks what callers of the data graph ask.',
  values: {
    field_renamed: { description: 'The field of the endpoint has another name.' },
    field_removed: { description: 'A field of its rows is gone.' },
    field_type_changed: { description: 'A field of its rows has another type.' },
    argument_removed: { description: 'An argument is gone.' },
    argument_required: { description: 'An argument has to be given.' },
    argument_type_changed: { description: 'An argument takes another type.' },
    value_removed: { description: 'An argument no longer takes a value.' },
  } as const satisfies Readonly<Record<BreakingChange['kind'], { readonly description: string }>>,
});

const GraphChange = builder.objectRef<BreakingChange>('GraphChange').implement({
  description: 'Something that callers of the data graph asked for and that is different now.',
  fields: (t) => ({
    kind: t.expose('kind', { type: GraphChangeKind, description: 'What is different.' }),
    place: t.exposeString('place', {
      description: 'The field or the argument: airport.rows.city, airport(code:).',
    }),
    message: t.exposeString('message', { description: 'The difference as a sentence.' }),
  }),
});

builder.prismaObjectField(Endpoint, 'graphChanges', (t) =>
  t.field({
    type: [GraphChange],
    nullable: true,
    description:
      'Of the answer to updateEndpoint, also as a dry run: what the change breaks for callers of the data graph. Null otherwise.',
    resolve: (endpoint) => {
      const changes = graphChangesOf(endpoint);
      return changes === null ? null : [...changes];
    },
  }),
);
