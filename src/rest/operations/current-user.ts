import { objectOf, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { integer, text, uuid } from '../../openapi/schemas/members.ts';
import { json, type Route } from '../route.ts';
import { userSelection } from './endpoint-fields.ts';

const members: Properties = {
  id: integer('Number of the user.'),
  uuid: uuid('Stable identifier.'),
  distinct_id: text('Same as uuid.'),
  first_name: text('Empty if unknown.'),
  last_name: text('Empty if unknown.'),
  email: text('Email address.'),
  team: {
    ...objectOf({ id: integer('Id of the project.'), name: text('Name of the project.') }),
    nullable: true,
    description: 'The first project of the key; null if it has none.',
  },
  organization: {
    type: 'object',
    nullable: true,
    description: 'Always null; present for compatibility.',
  },
};

const document = `query CurrentUser {
  user: me ${userSelection}
  key: currentKey { projects { id name } }
}`;

interface Found {
  readonly user: object;
  readonly key: { readonly projects: readonly { readonly id: string; readonly name: string }[] };
}

export const currentUser: Route = {
  id: 'current_user',
  method: 'GET',
  path: '/api/users/@me',
  scope: 'endpoint:read',
  status: 200,
  query: {},
  body: null,
  documents: [document],
  respond: async (call) => {
    const { user, key } = (await call.run(document, {})) as unknown as Found;
    const [first] = key.projects;
    const team = first === undefined ? null : { id: Number(first.id), name: first.name };
    return json({ ...user, team, organization: null });
  },
  openapi: {
    operationId: 'get_current_user',
    tag: 'account',
    summary: 'Retrieve the owner of the key',
    description: 'The owner of the key, with the first of its projects.',
    success: 'The user.',
    response: schemaRef('CurrentUser'),
    schemas: { CurrentUser: { ...objectOf(members), description: 'The owner of a key.' } },
  },
};
