/** Arguments of the fields that return OpenAPI documents. */
import { builder } from '../builder.ts';
import { RowForm } from './row-form.ts';

const PathPrefix = builder.enumType('PathPrefix', {
  description: 'PROJECTS: paths under /api/projects. ENVIRONMENTS: under /api/environments.',
  values: {
    PROJECTS: { value: 'projects' },
    ENVIRONMENTS: { value: 'environments' },
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
