import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';

interface Query {
  readonly include?: Prisma.EndpointInclude;
  readonly select?: Prisma.EndpointSelect;
}

/**
 * Loads the document's selection of an endpoint that was just written, in one statement. If another write came in
 * between, a second statement reads the version from this write, so that a writer gets the result of its own write.
 */
export async function loadWritten(
  prisma: Pick<PrismaClient, 'endpoint' | 'endpointVersion'>,
  query: Query,
  written: EndpointRecord,
) {
  const endpoint = await prisma.endpoint.findUniqueOrThrow({ ...query, where: { id: written.id } });
  const { updatedAt } = written;
  const { id: currentVersionId } = written.currentVersion;
  const selected = query.include?.currentVersion ?? query.select?.currentVersion;
  if (endpoint.currentVersionId === currentVersionId || !selected) {
    return { ...endpoint, updatedAt, currentVersionId };
  }
  const currentVersion = await prisma.endpointVersion.findUniqueOrThrow({
    ...(selected === true ? {} : (selected as object)),
    where: { id: currentVersionId },
  });
  return { ...endpoint, updatedAt, currentVersionId, currentVersion };
}
