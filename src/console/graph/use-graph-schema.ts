import { useQuery } from '@tanstack/react-query';
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql';
import { ApiError } from '../api/client.ts';
import { sendGraph } from './send-graph.ts';

/** The current schema of the graph at the path. */
export function useGraphSchema(path: string) {
  return useQuery<GraphQLSchema, ApiError>({
    queryKey: ['graph schema', path],
    queryFn: ({ signal }) => readSchema(path, signal),
    // The editor accepts a new schema at once, but reading a large one is expensive.
    staleTime: 60_000,
    retry: false,
  });
}

const question = getIntrospectionQuery({
  oneOf: true,
  inputValueDeprecation: true,
  specifiedByUrl: true,
});

async function readSchema(path: string, signal: AbortSignal): Promise<GraphQLSchema> {
  let text = '';
  const request = {
    path,
    document: question,
    variables: '',
    operation: 'IntrospectionQuery',
    isSubscription: false,
  };
  await sendGraph(request, { signal }, (response) => {
    text = response;
  });
  const { data, errors } = JSON.parse(text) as {
    readonly data?: IntrospectionQuery | null;
    readonly errors?: readonly { readonly message: string }[];
  };
  if (data === null || data === undefined)
    throw new ApiError(errors?.[0]?.message ?? 'The service returned no schema.', 'error', null);
  return buildClientSchema(data);
}
