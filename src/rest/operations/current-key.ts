import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { instant, text, texts, uuid } from '../../openapi/schemas/members.ts';
import { json, type Route } from '../route.ts';

const members: Properties = {
  id: uuid('Id of the key.'),
  label: text('Label: what the key is for.'),
  mask_value: text('The first characters of the key.'),
  scopes: texts('Scopes of the key.'),
  scoped_teams: {
    type: 'array',
    items: { type: 'integer' },
    description:
      'Ids of the projects that the key has access to. A key with the scope admin has access to all projects.',
  },
  scoped_organizations: texts('Always empty; present for compatibility.'),
  created_at: instant('When the key was issued.'),
  expires_at: orNull(instant('When the key expires; null if it never does.')),
  last_used_at: orNull(
    instant('When the key was last used, accurate to 30 seconds; null if never.'),
  ),
};

const document = `query CurrentKey {
  key: currentKey {
    id label mask_value: prefix scopes scoped_teams: projectIds
    created_at: createdAt expires_at: expiresAt last_used_at: lastUsedAt
  }
}`;

export const currentKey: Route = {
  id: 'current_key',
  method: 'GET',
  path: '/api/personal_api_keys/@current',
  scope: 'endpoint:read',
  status: 200,
  query: {},
  body: null,
  documents: [document],
  respond: async (call) => {
    const { key } = await call.run(document, {});
    const { scoped_teams: ids, ...facts } = key as { readonly scoped_teams: readonly string[] };
    return json({ ...facts, scoped_teams: ids.map(Number), scoped_organizations: [] });
  },
  openapi: {
    operationId: 'get_current_key',
    tag: 'account',
    summary: 'Retrieve the current key',
    description: 'The key of the request, without its secret.',
    success: 'The key.',
    response: schemaRef('CurrentKey'),
    schemas: {
      CurrentKey: { ...objectOf(members), description: 'An API key, without its secret.' },
    },
  },
};
