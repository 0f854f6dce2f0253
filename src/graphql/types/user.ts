import { requireScope } from '../../access/principal.ts';
import { builder } from '../builder.ts';

export const User = builder.prismaObject('User', {
  description: 'A person who owns keys and authors endpoints.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the user.' }),
    number: t.exposeInt('id', { description: 'The id as a number, for filters.' }),
    uuid: t.exposeString('uuid', { description: 'Stable identifier.' }),
    firstName: t.exposeString('firstName', { description: 'Empty if unknown.' }),
    lastName: t.exposeString('lastName', { description: 'Empty if unknown.' }),
    email: t.exposeString('email', { description: 'Email address.' }),
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
