import { useQuery } from '@tanstack/react-query';
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql';
import { ApiError } from '../api/client.ts';
import { sendGraph } from './send-graph.ts';

/** The schema of the graph at the path, as it is now. */
export function useGraphSchema(path: string) {
  return useQuery<GraphQLSchema, ApiError>({
    queryKey: ['graph schema', path],
    queryFn: ({ signal }) => readSchema(path, signal),
    // The editor takes another one at once; reading a large one costs.
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
  await sendGraph(request, signal, (answer) => {
    text = answer;
  });
  const { data, errors } = JSON.parse(text) as {
    readonly data?: IntrospectionQuery | null;
    readonly errors?: readonly { readonly message: string }[];
  };
  if (data === null || data === undefined)
    throw new ApiError(errors?.[0]?.message ?? 'The service told no schema.', 'error', null);
  return buildClientSchema(data);
}
