import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env.d.ts';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: {
    BigInt: number;
    HugeInt: string;
    Decimal: string;
    Date: string;
    DateTime: string;
    JSON: unknown;
  };
}>();
