import { authorizeNodes } from '../../endpoints/authorize-list.ts';
import type { Endpoint, EndpointVersion } from '../../generated/prisma/client.ts';
import { toNodeQuery } from '../../store/endpoint-list.ts';
import { builder } from '../builder.ts';
import type { GatewayContext } from '../context.ts';

type NodeRow = Endpoint | EndpointVersion;

export const Node = builder.interfaceRef<NodeRow>('Node').implement({
  description: 'An object with a globally unique id.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Globally unique id; never reused.' }) }),
  resolveType: (row) => ('endpointId' in row ? 'EndpointVersion' : 'Endpoint'),
});

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The endpoint or version with this id; null if the key has no access to it.',
    args: { id: t.arg.id({ required: true, description: 'Id of an endpoint or a version.' }) },
    resolve: async (_root, { id }, context) => (await findNodes(context, [id]))[0] ?? null,
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: true, items: true },
    description:
      'Endpoints and versions in the order of their ids, at most 100; null for those that the key has no access to.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Ids of endpoints or versions.' }),
    },
    resolve: (_root, { ids }, context) => findNodes(context, ids),
  }),
}));

async function findNodes(
  { prisma, principal }: GatewayContext,
  ids: readonly string[],
): Promise<(NodeRow | null)[]> {
  const { endpoints, versions } = toNodeQuery(authorizeNodes(await principal(), ids));
  const found: NodeRow[] = [
    ...(await prisma.endpoint.findMany({ where: endpoints })),
    ...(await prisma.endpointVersion.findMany({ where: versions })),
  ];
  const byId = new Map(found.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id.toLowerCase()) ?? null);
}
