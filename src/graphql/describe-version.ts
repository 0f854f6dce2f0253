import { type DocumentedVersion, endpointDocument } from '../openapi/endpoint-document.ts';

/** The OpenAPI document of one version, from its database rows. */
export function describeVersion(
  endpoint: { readonly projectId: number; readonly name: string },
  version: {
    readonly version: number;
    readonly description: string;
    readonly columns: unknown;
    readonly variables: unknown;
  },
  publicUrl: string,
): unknown {
  const documented: DocumentedVersion = {
    projectId: endpoint.projectId,
    name: endpoint.name,
    version: version.version,
    description: version.description,
    columns: version.columns as DocumentedVersion['columns'],
    variables: version.variables as DocumentedVersion['variables'],
  };
  return endpointDocument(documented, publicUrl);
}
