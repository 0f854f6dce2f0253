/** Arguments of the fields that return OpenAPI documents. */
import { pathPrefixes } from '../../endpoints/endpoint-urls.ts';
import { rowForms } from '../../model/result-format.ts';
import { builder } from '../builder.ts';

const RowForm = builder.enumType('RowForm', {
  description: 'How rows are written. OBJECTS: each by column name. ARRAYS: each as its values.',
  values: upperCased(rowForms),
});

const PathPrefix = builder.enumType('PathPrefix', {
  description: 'PROJECTS: paths under /api/projects. ENVIRONMENTS: under /api/environments.',
  values: upperCased(pathPrefixes),
});

export const documentArgs = builder.args((t) => ({
  rows: t.field({
    type: RowForm,
    description:
      'Which form of rows it describes; OBJECTS when absent. An endpoint with two columns of one name has ARRAYS.',
  }),
  prefix: t.field({ type: PathPrefix, description: 'Of its paths; PROJECTS when absent.' }),
}));

function upperCased<Value extends string>(
  values: readonly Value[],
): Record<Uppercase<Value>, { readonly value: Value }> {
  const entries = values.map((value) => [value.toUpperCase(), { value }] as const);
  return Object.fromEntries(entries) as Record<Uppercase<Value>, { readonly value: Value }>;
}
