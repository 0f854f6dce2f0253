import type { BindingPlace } from '../../model/project-binding.ts';
import { builder } from '../builder.ts';

/** Not its server and not its users: these are for operators. */
export const ProjectBinding = builder.objectRef<BindingPlace>('ProjectBinding').implement({
  description: 'The databases that a project is bound to, which existed before it.',
  fields: (t) => ({
    databases: t.field({
      type: ['String'],
      description:
        'The databases that its queries read, in the order in which the name of a table is looked up.',
      resolve: ({ databases }) => [...databases],
    }),
    stored: t.exposeString('stored', {
      nullable: true,
      description: 'The database of its stored tables; null: nothing is materialized.',
    }),
    dictionaries: t.field({
      type: ['String'],
      description: 'The dictionaries that its queries may use, as they name them.',
      resolve: ({ dictionaries }) => [...dictionaries],
    }),
  }),
});
