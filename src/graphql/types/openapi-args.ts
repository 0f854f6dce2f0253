/** Arguments of the fields that return OpenAPI documents. */
import { builder } from '../builder.ts';
import { RowForm } from './row-form.ts';

const PathPrefix = builder.enumType('PathPrefix', {
  description: 'The prefix of the paths of a document.',
  values: {
    PROJECTS: { value: 'projects', description: 'Paths under /api/projects.' },
    ENVIRONMENTS: { value: 'environments', description: 'Paths under /api/environments.' },
  } as const,
});

export const documentArgs = builder.args((t) => ({
  rows: t.field({
    type: RowForm,
    description:
      'Representation of rows that the document describes; default: OBJECTS. An endpoint with duplicate column names is always described with ARRAYS.',
  }),
  prefix: t.field({ type: PathPrefix, description: 'Prefix of its paths; default: PROJECTS.' }),
}));
