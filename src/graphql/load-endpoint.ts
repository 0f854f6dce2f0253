import type { Selected } from '../endpoints/resolve-version.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';

/** Where an endpoint that shows another version keeps the number of its latest one. */
const latestVersion = Symbol('latest version');

/** The highest version number, whichever version the endpoint shows. */
export function latestVersionOf(endpoint: object): number | undefined {
  return (endpoint as { readonly [latestVersion]?: number })[latestVersion];
}

interface Query {
  readonly include?: Prisma.EndpointInclude;
  readonly select?: Prisma.EndpointSelect;
}

/**
 * The endpoint with what the document selects, in one statement. When the version that is meant is not
 * the current one, or another change has come since, a second one reads it and puts it where the
 * document looks for the current one: a writer is told of its own change.
 */
export async function loadEndpoint(prisma: PrismaClient, query: Query, found: Selected) {
  const endpoint = await prisma.endpoint.findUniqueOrThrow({
    ...query,
    where: { id: found.endpoint.id },
  });
  if (endpoint.currentVersionId === found.version.id) return endpoint;
  const { id: currentVersionId, version: latest } = found.endpoint.currentVersion;
  const own = { ...endpoint, currentVersionId, [latestVersion]: latest };
  const selected = query.include?.currentVersion ?? query.select?.currentVersion;
  if (selected === undefined || selected === false) return own;
  const version = await prisma.endpointVersion.findUniqueOrThrow({
    ...(selected === true ? {} : (selected as object)),
    where: { id: found.version.id },
  });
  return { ...own, currentVersion: version };
}
