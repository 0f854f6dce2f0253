import { authorizeNodes } from '../../endpoints/authorize-list.ts';
import type { Endpoint, EndpointVersion } from '../../generated/prisma/client.ts';
import { toNodeQuery } from '../../store/endpoint-list.ts';
import { builder } from '../builder.ts';
import type { GatewayContext } from '../context.ts';

type NodeRow = Endpoint | EndpointVersion;

export const Node = builder.interfaceRef<NodeRow>('Node').implement({
  description: 'What is found again by its id alone.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Names one object for ever.' }) }),
  resolveType: (row) => ('endpointId' in row ? 'EndpointVersion' : 'Endpoint'),
});

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'An endpoint or a version, by its id; null for one that the key may not see.',
    args: { id: t.arg.id({ required: true, description: 'Id of an endpoint or a version.' }) },
    resolve: async (_root, { id }, context) => (await findNodes(context, [id]))[0] ?? null,
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: true, items: true },
    description: 'The same of several, at most 100, in the order of the ids.',
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
