import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { instant, text, texts, uuid } from '../../openapi/schemas/members.ts';
import { json, type Route } from '../route.ts';

const members: Properties = {
  id: uuid('Id of the key.'),
  label: text('What it is for.'),
  mask_value: text('Its first characters.'),
  scopes: texts('What it may do.'),
  scoped_teams: {
    type: 'array',
    items: { type: 'integer' },
    description: 'Ids of its projects; an administrator key sees the others too.',
  },
  scoped_organizations: texts('Kept from existing clients; empty.'),
  created_at: instant('When it was issued.'),
  expires_at: orNull(instant('When it stops working; null: never.')),
  last_used_at: orNull(instant('When it was last used, to half a minute.')),
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
    summary: 'What the key may do',
    description: 'The key of the request, without its secret.',
    success: 'The key.',
    response: schemaRef('CurrentKey'),
    schemas: { CurrentKey: { ...objectOf(members), description: 'A key, without its secret.' } },
  },
};
