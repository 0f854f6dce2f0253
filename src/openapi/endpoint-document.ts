import { type OpenAPIObject, OpenApiBuilder } from 'openapi3-ts/oas30';
import { runPath } from '../endpoints/endpoint-urls.ts';
import { addSharedParts, openApiVersion, security, serverOf } from './document-parts.ts';
import type { DocumentedVersion } from './documented-version.ts';
import { type DocumentedRun, runRequestComponents, sharedParameters } from './endpoint-request.ts';
import { arraysResultSchema, objectsResultSchema, rowObjectSchema } from './endpoint-response.ts';
import { schemaRef } from './json-schema.ts';
import { rowComponentOf } from './operation-names.ts';
import { type DocumentChoice, rowFormOf } from './row-form.ts';
import { describeEndpoint, operationIdOf, runPathItem } from './run-operations.ts';

const tag = 'run';

/** The OpenAPI 3.0 document for running one version. Pure; equal inputs give equal documents. */
export function endpointDocument(
  documented: DocumentedVersion,
  publicUrl: string,
  { rows, prefix }: DocumentChoice,
): OpenAPIObject {
  const run: DocumentedRun = { documented, form: rowFormOf(documented.columns, rows) };
  const operationId = operationIdOf(documented.name);
  const { components, result } = describeResult(run, rowComponentOf(operationId));
  const builder = OpenApiBuilder.create()
    .addOpenApiVersion(openApiVersion)
    .addInfo({
      title: documented.name,
      version: String(documented.version),
      description: describeEndpoint(documented),
    })
    .addServer(serverOf(publicUrl))
    .addTag({ name: tag, description: 'Running this endpoint.' })
    .addPath(
      runPath(documented, prefix),
      runPathItem({
        ...run,
        operationId,
        tag,
        parameters: Object.values(sharedParameters(run)),
        result,
      }),
    );
  for (const [name, schema] of Object.entries({ ...runRequestComponents(run), ...components }))
    builder.addSchema(name, schema);
  return { ...addSharedParts(builder).getSpec(), security };
}

/** The response, and its row as a component of the given name when rows are objects. */
export function describeResult({ documented: { columns }, form }: DocumentedRun, row: string) {
  if (form === 'arrays') return { components: {}, result: arraysResultSchema(columns) };
  return {
    components: { [row]: rowObjectSchema(columns) },
    result: objectsResultSchema(columns, schemaRef(row)),
  };
}
