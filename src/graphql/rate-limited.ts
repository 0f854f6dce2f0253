import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { takeRequest } from '../access/rates/take-request.ts';
import { currentFacts } from '../http/request-facts.ts';
import type { GatewayContext } from './context.ts';

/** Runs are counted separately, when it is known whether they have to wait. */
const runFields: ReadonlySet<string> = new Set(['runEndpoint', 'runQuery']);

type Resolver = GraphQLFieldResolver<unknown, GatewayContext, Readonly<Record<string, unknown>>>;

/** Counts every root field other than a run as one request, in both interfaces. */
export function limitRootFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (!runFields.has(field.name))
        field.resolve = limited(field.resolve ?? defaultFieldResolver);
    }
  }
  return schema;
}

function limited(resolve: Resolver): Resolver {
  return async (root, args, context, info) => {
    const named = args.projectId ?? (info.fieldName === 'project' ? args.id : undefined);
    const projectId = typeof named === 'string' ? named : null;
    currentFacts()?.noteTarget(projectId, args.name, args.version);
    await takeRequest(context.deps, await context.principal(), projectId);
    return resolve(root, args, context, info);
  };
}
