/**
 * Serves a list of endpoints with one hand-written Prisma query and one JSON.stringify: no key, no schema, no total.
 * Prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openLog } from '../src/config/open-log.ts';
import { openMetadataDatabase } from '../src/store/metadata-database.ts';

const databaseUrl = process.env.DATABASE_URL ?? '';
const projectId = Number(process.env.PROJECT_ID);
const { prisma } = await openMetadataDatabase({ databaseUrl, log: openLog('warn') });

const server = createServer(async (_request, response) => {
  const results = await prisma.endpoint.findMany({
    relationLoadStrategy: 'join',
    where: { projectId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: 100,
    include: { createdBy: true, currentVersion: { include: { materialization: true } } },
  });
  const body = Buffer.from(JSON.stringify({ results }, withNumbers));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

function withNumbers(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
