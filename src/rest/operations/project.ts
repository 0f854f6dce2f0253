import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { instant, integer, text } from '../../openapi/schemas/members.ts';
import { json, type Route } from '../route.ts';

const members: Properties = {
  id: integer('Id of the project.'),
  name: text('Its name.'),
  created_at: instant('When it was made.'),
  timezone: text('UTC: times without a zone are in it.'),
  organization: orNull(text('Kept from existing clients; null.')),
};

const document = `query Project($projectId: ID!) {
  project(id: $projectId) { id name created_at: createdAt }
}`;

export const project: Route = {
  id: 'project',
  method: 'GET',
  path: '/',
  scope: 'endpoint:read',
  status: 200,
  query: {},
  body: null,
  documents: [document],
  respond: async (call) => {
    const { project: found } = await call.run(document, call.params);
    const { id, ...facts } = found as { readonly id: string };
    return json({ id: Number(id), ...facts, timezone: 'UTC', organization: null });
  },
  openapi: {
    operationId: 'get_project',
    tag: 'account',
    summary: 'Retrieve a project',
    description: 'The project by its id, or that of the key by @current.',
    success: 'The project.',
    response: schemaRef('Project'),
    schemas: { Project: { ...objectOf(members), description: 'A tenant.' } },
  },
};
