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
      'Which form of rows it describes; OBJECTS when absent. An endpoint with two columns of one name has ARRAYS.',
  }),
  prefix: t.field({ type: PathPrefix, description: 'Of its paths; PROJECTS when absent.' }),
}));
