import { type OpenAPIObject, OpenApiBuilder } from 'openapi3-ts/oas30';
import { runPath } from '../endpoints/endpoint-urls.ts';
import { addSharedParts, openApiVersion, security, serverOf } from './document-parts.ts';
import type { DocumentedVersion } from './documented-version.ts';
import { describeResult } from './endpoint-document.ts';
import { type DocumentedRun, sharedParameters } from './endpoint-request.ts';
import { parameterRef, schemaRef } from './json-schema.ts';
import { openOperationIds, pascalNameOf, rowComponentOf } from './operation-names.ts';
import { type DocumentChoice, rowFormOf } from './row-form.ts';
import { operationIdOf, runPathItem } from './run-operations.ts';

const tag = 'run';

const description = `The active endpoints of one project, each at its current version.

Generate one client from it for all of them. Every error has the body \`{type, code, detail, attr}\`.`;

export interface DocumentedProject {
  readonly name: string;
  /** In creation order, so that a new version never takes an older one's operation id. */
  readonly versions: readonly DocumentedVersion[];
}

/** Called for an endpoint that is left out because its version cannot be described. */
export type OnUndescribed = (name: string, error: unknown) => void;

/**
 * The OpenAPI 3.0 document for running a project's endpoints, by name. Endpoints that cannot be described are left out.
 */
export function projectDocument(
  { name, versions }: DocumentedProject,
  publicUrl: string,
  { rows, prefix, onUndescribed }: DocumentChoice & { readonly onUndescribed: OnUndescribed },
): OpenAPIObject {
  const builder = OpenApiBuilder.create()
    .addOpenApiVersion(openApiVersion)
    .addInfo({ title: name, version: '1', description })
    .addServer(serverOf(publicUrl))
    .addTag({ name: tag, description: 'Running the endpoints.' });
  const ids = openOperationIds();
  const named = versions.map((version) => ({ version, id: ids.take(operationIdOf(version.name)) }));
  for (const one of named.sort(byName)) {
    try {
      addEndpoint(builder, one, { rows, prefix });
    } catch (error) {
      onUndescribed(one.version.name, error);
    }
  }
  return { ...addSharedParts(builder).getSpec(), security };
}

/** Atomic: everything that can fail comes before the document is changed. */
function addEndpoint(
  builder: OpenApiBuilder,
  { version, id }: Named,
  choice: DocumentChoice,
): void {
  const run: DocumentedRun = {
    documented: version,
    form: rowFormOf(version.columns, choice.rows),
  };
  const response = `${pascalNameOf(id)}Run`;
  const { components, result } = describeResult(run, rowComponentOf(id));
  const parameters = sharedParameters(run);
  const item = runPathItem({
    ...run,
    operationId: id,
    tag,
    parameters: Object.keys(parameters).map(parameterRef),
    result: schemaRef(response),
  });
  for (const [name, parameter] of Object.entries(parameters)) builder.addParameter(name, parameter);
  for (const [name, schema] of Object.entries(components)) builder.addSchema(name, schema);
  builder.addSchema(response, result).addPath(runPath(version, choice.prefix), item);
}

interface Named {
  readonly version: DocumentedVersion;
  readonly id: string;
}

function byName(a: Named, b: Named): number {
  return a.version.name < b.version.name ? -1 : 1;
}
