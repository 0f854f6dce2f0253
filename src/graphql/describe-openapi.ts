import { usageFacts } from '../endpoints/built-in/usage-endpoint.ts';
import type { DocumentedVersion } from '../openapi/documented-version.ts';
import { endpointDocument } from '../openapi/endpoint-document.ts';
import { projectDocument } from '../openapi/project-document.ts';
import type { DocumentChoice } from '../openapi/row-form.ts';

interface EndpointRow {
  readonly projectId: number;
  readonly name: string;
}

interface VersionRow {
  readonly version: number;
  readonly description: string;
  readonly columns: unknown;
  readonly variables: unknown;
}

/** The arguments of a field that returns an OpenAPI document, as given by the caller. */
export interface DocumentArgs {
  readonly rows?: DocumentChoice['rows'] | null | undefined;
  readonly prefix?: DocumentChoice['prefix'] | null | undefined;
}

/** The OpenAPI document of one version, from its database rows. */
export function describeVersion(
  rows: { readonly endpoint: EndpointRow; readonly version: VersionRow },
  publicUrl: string,
  args: DocumentArgs,
): unknown {
  return endpointDocument(toDocumented(rows.endpoint, rows.version), publicUrl, choiceOf(args));
}

/** The OpenAPI document of a project's endpoints, from their database rows, and of the built-in one. */
export function describeProject(
  project: {
    readonly id: number;
    readonly name: string;
    readonly endpoints: readonly (EndpointRow & { readonly currentVersion: VersionRow | null })[];
  },
  publicUrl: string,
  args: DocumentArgs & { readonly onUndescribed: (name: string, error: unknown) => void },
): unknown {
  const saved = project.endpoints.flatMap(({ currentVersion, ...endpoint }) =>
    currentVersion === null ? [] : [toDocumented(endpoint, currentVersion)],
  );
  // Last, so that a saved endpoint keeps an operation id that both want.
  const versions = [...saved, toDocumented({ ...usageFacts, projectId: project.id }, usageFacts)];
  const choice = { ...choiceOf(args), onUndescribed: args.onUndescribed };
  return projectDocument({ name: project.name, versions }, publicUrl, choice);
}

function toDocumented(endpoint: EndpointRow, version: VersionRow): DocumentedVersion {
  return {
    projectId: endpoint.projectId,
    name: endpoint.name,
    version: version.version,
    description: version.description,
    columns: version.columns as DocumentedVersion['columns'],
    variables: version.variables as DocumentedVersion['variables'],
  };
}

function choiceOf({ rows, prefix }: DocumentArgs): DocumentChoice {
  return { rows: rows ?? 'objects', prefix: prefix ?? 'projects' };
}
