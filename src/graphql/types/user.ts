import { requireScope } from '../../access/principal.ts';
import { builder } from '../builder.ts';

export const User = builder.prismaObject('User', {
  description: 'A person who owns keys and authors endpoints.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the user.' }),
    number: t.exposeInt('id', { description: 'The same as a number, by which lists filter.' }),
    uuid: t.exposeString('uuid', { description: 'Stable identifier.' }),
    firstName: t.exposeString('firstName', { description: 'Empty when unknown.' }),
    lastName: t.exposeString('lastName', { description: 'Empty when unknown.' }),
    email: t.exposeString('email', { description: 'Address that names the user.' }),
  }),
});

builder.queryFields((t) => ({
  me: t.prismaField({
    type: User,
    nullable: true,
    description: 'The owner of the key.',
    resolve: async (query, _root, _args, { prisma, principal }) => {
      const caller = await principal();
      requireScope(caller, 'endpoint:read');
      return prisma.user.findUniqueOrThrow({ ...query, where: { id: caller.userId } });
    },
  }),
}));
