import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { takeManagement } from '../access/rates/take-management.ts';
import type { GatewayContext } from './context.ts';

/** A run has budgets of its own, by the path that answers it. */
const runs: ReadonlySet<string> = new Set(['runEndpoint']);

type Resolver = GraphQLFieldResolver<unknown, GatewayContext, Readonly<Record<string, unknown>>>;

/** Has every root field that is no run take from the budget of management, whichever interface it comes through. */
export function limitRootFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (!runs.has(field.name)) field.resolve = limited(field.resolve ?? defaultFieldResolver);
    }
  }
  return schema;
}

function limited(resolve: Resolver): Resolver {
  return async (root, args, context, info) => {
    const named = args.projectId ?? (info.fieldName === 'project' ? args.id : undefined);
    const projectId = typeof named === 'string' ? named : null;
    await takeManagement(context.deps, await context.principal(), projectId);
    return resolve(root, args, context, info);
  };
}
