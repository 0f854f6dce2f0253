/** Fetches the service's description of an endpoint, using the key of the tab. */
import { parseExact } from './exact-json.js';

const PARTS = `name description graphqlName uiUrl isActive currentVersion versionsCount updatedAt
  variables { name type required default description } columns { name type }
  materialization { enabled status ready reason servedFrom rows bytes lastMaterializedAt nextSyncAt syncFrequency error }`;
const BY_NAME = `query($project: ID!, $name: String!) { endpoint(projectId: $project, name: $name) { ${PARTS} } }`;
const NAMES = `query($project: ID!, $offset: Int!) { endpoints(projectId: $project, first: 1000, offset: $offset) {
  totalCount edges { node { name graphqlName } } } }`;

/** @returns the endpoint of a call; null when it does not exist. Throws an Error with the service's message. */
export async function readEndpoint({ project, name, field }, headers) {
  const found = name ?? (await nameOfField(project, field, headers));
  if (found === null) return null;
  const { endpoint } = await send(BY_NAME, { project, name: found }, headers);
  return endpoint;
}

const VERSION = `query($project: ID!, $name: String!, $version: Int!) {
  endpointVersion(projectId: $project, name: $name, version: $version) { query } }`;
const CURRENT =
  'query($project: ID!, $name: String!) { endpoint(projectId: $project, name: $name) { query } }';
const PLAN = `query($project: ID!, $query: JSON!, $input: RunInput) {
  checkQuery(projectId: $project, query: $query, input: $input) { plan {
    reads { table rows granules }
    steps { depth name description indexes { kind granules granulesBefore } } } } }`;

/**
 * @param call must have the name of its endpoint.
 * @returns null when a value is missing. Throws an Error with the service's message.
 */
export async function explainCall({ project, name, args, input }, headers) {
  const version = input.version ?? null;
  const saved =
    version === null
      ? (await send(CURRENT, { project, name }, headers)).endpoint
      : (await send(VERSION, { project, name, version }, headers)).endpointVersion;
  const variables = { project, query: saved.query, input: { variables: args } };
  return (await send(PLAN, variables, headers)).checkQuery.plan;
}

const PROGRESS = `query($project: ID!, $request: ID!) {
  requestProgress(projectId: $project, requestId: $request) { rowsRead estimatedRowsTotal timeElapsed } }`;

/** @returns what the engine has read for a request in progress; null when it is reading nothing for it. */
export async function readProgress({ project, requestId }, headers) {
  return (await send(PROGRESS, { project, request: requestId }, headers)).requestProgress;
}

async function nameOfField(project, field, headers) {
  for (let offset = 0; ; offset += 1000) {
    const { endpoints } = await send(NAMES, { project, offset }, headers);
    const found = endpoints.edges.find(({ node }) => node.graphqlName === field);
    if (found !== undefined) return found.node.name;
    if (offset + 1000 >= endpoints.totalCount) return null;
  }
}

async function send(query, variables, headers) {
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
