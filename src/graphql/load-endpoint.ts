import type { EndpointDeps } from '../endpoints/deps.ts';
import type { MaterializationStatus, Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { EndpointRecord, VersionOfEndpoint } from '../store/endpoint-record.ts';
import { stillOf } from './still-there.ts';

interface Records<Model extends keyof PrismaClient> {
  readonly deps: EndpointDeps;
  readonly prisma: Pick<PrismaClient, Model>;
}

interface Query {
  readonly include?: Prisma.EndpointInclude;
  readonly select?: Prisma.EndpointSelect;
}

/**
 * Loads the document's selection of an endpoint that was just written, in one statement. If another write came in
 * between, a second statement reads the version from this write, so that a writer gets the result of its own write.
 */
export async function loadWritten(
  { deps, prisma }: Records<'endpoint' | 'endpointVersion'>,
  query: Query,
  written: EndpointRecord,
) {
  const reading = prisma.endpoint.findUnique({ ...query, where: { id: written.id } });
  const endpoint = await stillOf(deps, written, reading);
  const { updatedAt } = written;
  const { id: currentVersionId } = written.currentVersion;
  const selected = query.include?.currentVersion ?? query.select?.currentVersion;
  if (endpoint.currentVersionId === currentVersionId || !selected) {
    return { ...endpoint, updatedAt, currentVersionId };
  }
  const readingVersion = prisma.endpointVersion.findUnique({
    ...(selected === true ? {} : (selected as object)),
    where: { id: currentVersionId },
  });
  const currentVersion = await stillOf(deps, written, readingVersion);
  return { ...endpoint, updatedAt, currentVersionId, currentVersion };
}

export function loadStatus(
  { deps, prisma }: Records<'materializationStatus'>,
  { endpoint, version }: VersionOfEndpoint,
): Promise<MaterializationStatus> {
  const where = { versionId: version.id };
  return stillOf(deps, endpoint, prisma.materializationStatus.findUnique({ where }));
}
