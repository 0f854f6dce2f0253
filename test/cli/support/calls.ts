/** Calls as a caller with a key makes them. */
export interface Caller {
  readonly url: string;
  readonly projectId: number;
  readonly key: string;
}

export interface CallResponse<Body> {
  readonly status: number;
  readonly body: Body;
}

export async function callRest<Body>(
  caller: Caller,
  request: { readonly method?: string; readonly path: string; readonly body?: unknown },
): Promise<CallResponse<Body>> {
  const { method = 'GET', path, body } = request;
  const response = await fetch(`${caller.url}/api/projects/${caller.projectId}/endpoints${path}`, {
    method,
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
}

export interface GraphQLResult<Data> {
  readonly data?: Data;
  readonly errors?: readonly { readonly message: string }[];
}

export async function callGraphQL<Data>(
  caller: Pick<Caller, 'url' | 'key'>,
  query: string,
  variables: unknown = {},
): Promise<GraphQLResult<Data>> {
  const response = await fetch(`${caller.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as GraphQLResult<Data>;
}

export interface RunBody {
  readonly results: readonly (readonly unknown[])[];
  readonly columns: readonly string[];
  readonly is_cached: boolean;
}

export interface EndpointBody {
  readonly name: string;
  readonly graphql_name: string;
  readonly description: string;
  readonly current_version: number;
  readonly versions_count: number;
  readonly version: number;
  readonly query: { readonly query: string };
}

export interface ListBody<Row> {
  readonly count: number;
  readonly results: readonly Row[];
}
