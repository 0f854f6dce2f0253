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
