import type { BindingPlace } from '../../model/project-binding.ts';
import { builder } from '../builder.ts';

/** Excludes its server and users, which are for operators. */
export const ProjectBinding = builder.objectRef<BindingPlace>('ProjectBinding').implement({
  description: 'The existing databases that a project is bound to.',
  fields: (t) => ({
    databases: t.field({
      type: ['String'],
      description:
        'The databases that its queries can read, in the order in which table names are resolved.',
      resolve: ({ databases }) => [...databases],
    }),
    stored: t.exposeString('stored', {
      nullable: true,
      description: 'The database of its stored tables; null if nothing can be materialized.',
    }),
    dictionaries: t.field({
      type: ['String'],
      description: 'The dictionaries that its queries can use, by the names used in queries.',
      resolve: ({ dictionaries }) => [...dictionaries],
    }),
  }),
});
