import { useQuery } from '@tanstack/react-query';
import { type ApiError, request } from '../api/client.ts';
import { FunctionsDocument } from '../generated/graphql.ts';
import type { SqlFunction } from './functions.ts';

const pageSize = 1000;
const none: readonly SqlFunction[] = [];

/** The functions that the project's queries can call; empty until they are read, and if they cannot be. */
export function useFunctions(projectId: string): readonly SqlFunction[] {
  const { data } = useQuery<readonly SqlFunction[], ApiError>({
    queryKey: ['functions', projectId],
    queryFn: ({ signal }) => readFunctions(projectId, signal),
    staleTime: Infinity,
  });
  return data ?? none;
}

async function readFunctions(
  projectId: string,
  signal: AbortSignal,
): Promise<readonly SqlFunction[]> {
  const found: SqlFunction[] = [];
  for (let offset = 0; ; offset += pageSize) {
    const variables = { projectId, first: pageSize, offset };
    const { functions } = await request(FunctionsDocument, variables, { signal });
    for (const { name, syntax, description, aliasOf } of functions?.results ?? []) {
      const about = description || (aliasOf === null ? '' : `The same as ${aliasOf}.`);
      found.push({ name, usage: syntax || name, about });
    }
    if (offset + pageSize >= (functions?.totalCount ?? 0)) return found;
  }
}
