import type { GraphQLField, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { RunResponse } from '../runs/run-response.ts';
import type { GatewayContext } from './context.ts';

/** Runs an endpoint by the schema's own resolver, without a document. Throws, or rejects, as that does. */
export type RunField = (
  args: Readonly<Record<string, unknown>>,
  context: GatewayContext,
) => MaybePromise<RunResponse>;

/** The field by which a document runs an endpoint. */
export function runFieldOf(schema: GraphQLSchema): GraphQLField<unknown, unknown> {
  const field = schema.getQueryType()?.getFields().runEndpoint;
  if (field?.resolve === undefined) throw new Error('the schema has no runEndpoint');
  return field;
}

export function runByField(schema: GraphQLSchema): RunField {
  const { resolve } = runFieldOf(schema);
  const info = {} as GraphQLResolveInfo;
  return (args, context) => resolve?.(undefined, args, context, info) as MaybePromise<RunResponse>;
}
