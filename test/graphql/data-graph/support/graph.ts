/** Requests to the graph of a project. */
import type { CallOptions, GraphQLBody, TestApp, TestResponse } from '../../../support/test-app.ts';

export type GraphResponse = TestResponse<GraphQLBody>;

export type AskGraph = (
  query: string,
  variables?: Readonly<Record<string, unknown>>,
  options?: CallOptions,
) => Promise<GraphResponse>;

/** By POST, with the project's read key unless another is named. */
export function openGraph(test: TestApp): AskGraph {
  return async (query, variables = {}, options = {}) => {
    const body = { query, variables };
    const key = test.project.readKey;
    const response = await test.rest('POST', '/graphql', { key, ...options, body });
    return response as GraphResponse;
  };
}

/** Saves an endpoint. Throws when it is refused. */
export async function save(
  test: TestApp,
  endpoint: Readonly<Record<string, unknown>>,
  options: CallOptions = {},
): Promise<void> {
  const response = await test.rest('POST', '/endpoints', { ...options, body: endpoint });
  if (response.status !== 201) throw new Error(response.text);
}

/** Changes an endpoint. Throws when it is refused. */
export async function change(
  test: TestApp,
  name: string,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const response = await test.rest('PATCH', `/endpoints/${name}`, { body });
  if (response.status !== 200) throw new Error(response.text);
}

/** The value of a root field; throws the errors, if there are any. */
export function fieldOf<Run = GraphRun>(response: GraphResponse, name: string): Run {
  const { data, errors } = response.body;
  if (errors !== undefined) throw new Error(response.text);
  return data?.[name] as Run;
}

export interface GraphRun {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly hasMore: boolean;
  readonly isCached: boolean;
  readonly lastRefresh: string;
  readonly servedFrom: string;
  readonly run: Readonly<Record<string, unknown>>;
}

export const codesOf = ({ body }: GraphResponse) =>
  (body.errors ?? []).map(({ extensions }) => extensions.code);

export const attrsOf = ({ body }: GraphResponse) =>
  (body.errors ?? []).map(({ extensions }) => extensions.attr);

export const messagesOf = ({ body }: GraphResponse) =>
  (body.errors ?? []).map(({ message }) => message);
