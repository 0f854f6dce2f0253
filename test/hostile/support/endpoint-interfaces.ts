/** The operations on endpoints through either interface, with outcomes as the model has them. */
import type { GraphQLBody, TestApp, TestResponse } from '../../support/test-app.ts';
import type { Change, Facts, Outcome } from './endpoint-model.ts';

export interface EndpointApi {
  create(name: string, query: string): Promise<Outcome<Facts>>;
  change(name: string, version: number | undefined, change: Change): Promise<Outcome<Facts>>;
  remove(name: string): Promise<boolean>;
  read(name: string, version?: number): Promise<Outcome<Facts>>;
  run(name: string, version?: number): Promise<Outcome<unknown>>;
  list(): Promise<readonly string[]>;
  /** Numbers and texts of the versions, the newest first. */
  versions(name: string): Promise<Outcome<readonly (readonly [number, string, boolean])[]>>;
}

type Body = Readonly<Record<string, unknown>>;

/** @throws Error for a server error. */
function requireResponse(status: number, text: string): void {
  if (status >= 500) throw new Error(`${status}: ${text}`);
}

const textOf = (query: unknown) => String((query as { query: unknown }).query);

function restFacts(body: Body): Facts {
  return {
    name: String(body.name),
    currentVersion: Number(body.current_version),
    versionsCount: Number(body.versions_count),
    isActive: body.is_active === true,
    description: String(body.description),
    cacheAge: body.cache_age_seconds as number | null,
    query: textOf(body.query),
  };
}

export function restApi(test: TestApp): EndpointApi {
  const call = async (method: string, path: string, body?: object): Promise<TestResponse> => {
    const response = await test.rest(method, path, body === undefined ? {} : { body });
    requireResponse(response.status, response.text);
    return response;
  };
  const outcome = <T>({ status, body }: TestResponse, read: (body: Body) => T): Outcome<T> =>
    status >= 400 ? { code: String(body.code) } : { facts: read(body) };
  const selected = (version?: number) => (version === undefined ? '' : `?version=${version}`);
  const member = (change: Change): object => {
    if (change.kind === 'isActive') return { is_active: change.isActive };
    if (change.kind === 'cacheAge') return { cache_age_seconds: change.cacheAge };
    return change.kind === 'query' ? { query: change.query } : { description: change.description };
  };
  return {
    create: async (name, query) =>
      outcome(await call('POST', '/endpoints', { name, query }), restFacts),
    change: async (name, version, change) =>
      outcome(
        await call('PATCH', `/endpoints/${name}${selected(version)}`, member(change)),
        restFacts,
      ),
    remove: async (name) => (await call('DELETE', `/endpoints/${name}`)).status === 204,
    read: async (name, version) =>
      outcome(await call('GET', `/endpoints/${name}${selected(version)}`), restFacts),
    run: async (name, version) =>
      outcome(await call('GET', `/endpoints/${name}/run${selected(version)}`), (b) => b.results),
    async list() {
      const { body } = await call('GET', '/endpoints');
      const names = (body.results as readonly Body[]).map(({ name }) => String(name));
      if (body.count !== names.length) throw new Error(`count is ${String(body.count)}`);
      return names;
    },
    versions: async (name) =>
      outcome(await call('GET', `/endpoints/${name}/versions`), (body) => {
        const rows = body.results as readonly Body[];
        if (body.count !== rows.length) throw new Error(`count is ${String(body.count)}`);
        return rows.map((v) => [Number(v.version), textOf(v.query), v.is_active === true] as const);
      }),
  };
}

const members = 'name currentVersion versionsCount isActive description cacheAgeSeconds query';

function graphqlFacts(node: Body): Facts {
  return {
    name: String(node.name),
    currentVersion: Number(node.currentVersion),
    versionsCount: Number(node.versionsCount),
    isActive: node.isActive === true,
    description: String(node.description),
    cacheAge: node.cacheAgeSeconds as number | null,
    query: textOf(node.query),
  };
}

export function graphqlApi(test: TestApp): EndpointApi {
  const ask = async <T>(
    document: string,
    variables: object,
    read: (data: Body) => T,
  ): Promise<Outcome<T>> => {
    const { status, text, body }: TestResponse<GraphQLBody> = await test.graphql(
      document,
      variables,
    );
    requireResponse(status, text);
    const [error] = body.errors ?? [];
    if (error === undefined && Object.keys(body.data ?? {}).length === 0)
      throw new Error(`no data: ${status} ${text}`);
    if (error?.extensions.code === 'error') throw new Error(text);
    return error === undefined ? { facts: read(body.data ?? {}) } : { code: error.extensions.code };
  };
  const input = (change: Change): object => {
    const { kind } = change;
    if (kind === 'isActive') return { isActive: change.isActive };
    if (kind === 'cacheAge') return { cacheAgeSeconds: change.cacheAge };
    return kind === 'query' ? { query: change.query } : { description: change.description };
  };
  const inside = (version: number | undefined, data: Body, field: string): Facts => {
    const node = data[field] as Body;
    return graphqlFacts(version === undefined ? node : (node.version as Body));
  };
  const selection = (version: number | undefined) =>
    version === undefined ? `{ ${members} }` : `{ version(version: $version) { ${members} } }`;
  return {
    create: (name, query) =>
      ask(
        `mutation ($input: CreateEndpointInput!) { createEndpoint(projectId: "@current", input: $input) { ${members} } }`,
        { input: { name, query } },
        (data) => graphqlFacts(data.createEndpoint as Body),
      ),
    change: (name, version, change) =>
      ask(
        `mutation ($name: String!, $version: Int, $input: UpdateEndpointInput!) { updateEndpoint(projectId: "@current", name: $name, version: $version, input: $input) ${selection(version)} }`,
        { name, version, input: input(change) },
        (data) => inside(version, data, 'updateEndpoint'),
      ),
    async remove(name) {
      const removed = await ask(
        'mutation ($name: String!) { deleteEndpoint(projectId: "@current", name: $name) }',
        { name },
        (data) => data.deleteEndpoint,
      );
      return 'facts' in removed && removed.facts === true;
    },
    read: (name, version) =>
      ask(
        `query ($name: String!, $version: Int) { endpoint(projectId: "@current", name: $name, version: $version) ${selection(version)} }`,
        { name, version },
        (data) => inside(version, data, 'endpoint'),
      ),
    run: (name, version) =>
      ask(
        'query ($name: String!, $version: Int) { runEndpoint(projectId: "@current", name: $name, input: { version: $version }) { results } }',
        { name, version },
        (data) => (data.runEndpoint as Body).results,
      ),
    async list() {
      const listed = await ask(
        '{ endpoints(projectId: "@current") { totalCount edges { node { name } } } }',
        {},
        (data) => data.endpoints as { totalCount: number; edges: readonly { node: Body }[] },
      );
      if (!('facts' in listed)) throw new Error(listed.code);
      const names = listed.facts.edges.map(({ node }) => String(node.name));
      if (listed.facts.totalCount !== names.length) throw new Error('totalCount is another');
      return names;
    },
    versions: (name) =>
      ask(
        'query ($name: String!) { endpointVersions(projectId: "@current", name: $name) { totalCount edges { node { version query isActive } } } }',
        { name },
        (data) => {
          const list = data.endpointVersions as {
            totalCount: number;
            edges: readonly { node: Body }[];
          };
          if (list.totalCount !== list.edges.length) throw new Error('totalCount is another');
          return list.edges.map(
            ({ node }) =>
              [Number(node.version), textOf(node.query), node.isActive === true] as const,
          );
        },
      ),
  };
}
