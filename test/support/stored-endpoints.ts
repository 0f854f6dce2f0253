/** Endpoints for tests of the store. */
import type { PrismaClient } from '../../src/generated/prisma/client.ts';
import type { EndpointDraft } from '../../src/store/endpoint-store.ts';
import type { NewVersion } from '../../src/store/endpoint-write.ts';

export const content = {
  query: { kind: 'SQLQuery', query: 'SELECT 1 AS n', variables: {} },
  columns: [{ name: 'n', type: 'UInt8' }],
  variables: [{ name: 'country', type: 'String', required: true }],
  cacheAgeSeconds: 60,
};

export const off = { enabled: false, syncFrequency: '24hour', maxRows: null };

export function endpointDraft(projectId: number, over: Partial<EndpointDraft> = {}): EndpointDraft {
  return {
    projectId,
    name: 'sales',
    graphqlName: null,
    description: 'what was sold',
    isActive: true,
    derivedFromInsight: null,
    tags: [],
    createdById: null,
    version: content,
    materialization: off,
    ...over,
  };
}

export function nextVersion(text: string): NewVersion {
  return {
    ...content,
    query: { ...content.query, query: text },
    description: '',
    createdById: null,
    materialization: off,
  };
}

/** Every endpoint and version that is stored, to be compared with later. */
export async function everything(prisma: PrismaClient) {
  return {
    endpoints: await prisma.endpoint.findMany({ orderBy: { id: 'asc' } }),
    versions: await prisma.endpointVersion.findMany({ orderBy: { id: 'asc' } }),
    materializations: await prisma.materializationStatus.findMany({ orderBy: { id: 'asc' } }),
  };
}
