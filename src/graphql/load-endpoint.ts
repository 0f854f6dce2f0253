import type { Selected } from '../core/run/select-version.ts';
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
 * The endpoint with what the document selects, in one statement; a second one reads the version when it
 * is not the current one, and puts it where the document looks for the current one.
 */
export async function loadEndpoint(prisma: PrismaClient, query: Query, found: Selected) {
  const endpoint = await prisma.endpoint.findUniqueOrThrow({
    ...query,
    where: { id: found.endpoint.id },
  });
  if (found.version.id === found.endpoint.currentVersion.id) return endpoint;
  const selected = query.include?.currentVersion ?? query.select?.currentVersion;
  if (selected === undefined || selected === false) return endpoint;
  const version = await prisma.endpointVersion.findUniqueOrThrow({
    ...(selected === true ? {} : (selected as object)),
    where: { id: found.version.id },
  });
  const latest = found.endpoint.currentVersion.version;
  return { ...endpoint, currentVersion: version, [latestVersion]: latest };
}
