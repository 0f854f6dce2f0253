import { type GraphFieldDeps, listGraphFields } from '../../endpoints/graph-fields.ts';
import { type Introspection, openIntrospection } from './introspection/introspection.ts';
import type { SchemaTextSource } from './introspection/read-schema-text.ts';
import { maxTextBytes, openShapeTexts } from './introspection/shape-texts.ts';

/** Access to the data graphs of all projects. */
export interface DataGraph extends SchemaTextSource {
  readonly introspection: Introspection;
}

export function openDataGraph(deps: GraphFieldDeps): DataGraph {
  const texts = openShapeTexts(maxTextBytes);
  return {
    texts,
    introspection: openIntrospection(texts),
    shapes: async (projectId) => (await listGraphFields(deps, projectId)).map(({ shape }) => shape),
  };
}
