import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { instant, integer, text } from '../../openapi/schemas/members.ts';
import { json, type Route } from '../route.ts';

const members: Properties = {
  id: integer('Id of the project.'),
  name: text('Name of the project.'),
  created_at: instant('When the project was created.'),
  timezone: text('Time zone of times that do not state one: always UTC.'),
  organization: orNull(text('Always null; present for compatibility.')),
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
    description: 'One project by its id, or with @current the project of the key.',
    success: 'The project.',
    response: schemaRef('Project'),
    schemas: {
      Project: {
        ...objectOf(members),
        description: 'A tenant: its own tables, endpoints and keys.',
      },
    },
  },
};
