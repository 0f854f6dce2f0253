/** What the service tells about an endpoint, asked with the key of the tab. */
import { parseExact } from './exact-json.js';

const PARTS = `name description graphqlName uiUrl isActive currentVersion versionsCount updatedAt
  variables { name type required default description } columns { name type }
  materialization { enabled status ready reason servedFrom rows bytes lastMaterializedAt nextSyncAt syncFrequency error }`;
const BY_NAME = `query($project: ID!, $name: String!) { endpoint(projectId: $project, name: $name) { ${PARTS} } }`;
const NAMES = `query($project: ID!, $offset: Int!) { endpoints(projectId: $project, first: 1000, offset: $offset) {
  totalCount edges { node { name graphqlName } } } }`;

/** @returns the endpoint of a call; null when there is none. Throws an Error with the service's sentence. */
export async function readEndpoint({ project, name, field }, headers) {
  const found = name ?? (await nameOfField(project, field, headers));
  if (found === null) return null;
  const { endpoint } = await ask(BY_NAME, { project, name: found }, headers);
  return endpoint;
}

async function nameOfField(project, field, headers) {
  for (let offset = 0; ; offset += 1000) {
    const { endpoints } = await ask(NAMES, { project, offset }, headers);
    const found = endpoints.edges.find(({ node }) => node.graphqlName === field);
    if (found !== undefined) return found.node.name;
    if (offset + 1000 >= endpoints.totalCount) return null;
  }
}

async function ask(query, variables, headers) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { ...headers, accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors, detail } = parseExact(await response.text());
  const message = errors?.[0]?.message ?? detail;
  if (message !== undefined) throw new Error(message);
  return data;
}
