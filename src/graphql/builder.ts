import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import type PrismaTypes from '../generated/pothos-types.ts';
import { getDatamodel } from '../generated/pothos-types.ts';
import type { GatewayContext } from './context.ts';

/** The schema builder. Defines no type: each has its own file in types/ with its fields and inputs. */
export const builder = new SchemaBuilder<{
  Context: GatewayContext;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string | number };
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
  };
}>({
  plugins: [RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: (context) => context.prisma,
    dmmf: getDatamodel(),
    maxConnectionSize: 1000,
    defaultConnectionSize: 100,
    filterConnectionTotalCount: true,
  },
  relay: { cursorType: 'String' },
});

builder.queryType({
  description: 'Reads and runs. All fields need the scope endpoint:read unless stated otherwise.',
});
builder.mutationType({
  description: 'Writes. All fields need the scope endpoint:write unless stated otherwise.',
});
