/** Parts shared by all OpenAPI documents: licence, server, security scheme, errors and headers. */
import type { LicenseObject, OpenApiBuilder, ServerObject } from 'openapi3-ts/oas30';
import {
  type DocumentedStatus,
  errorResponse,
  errorResponseNames,
  errorSchema,
  headers,
} from './schemas/error.ts';
import { filtersSchema, propertyFilterSchema } from './schemas/run-inputs.ts';
import { queryProgressSchema } from './schemas/run-result.ts';

export const openApiVersion = '3.0.3';

/** The scheme's name in existing clients. */
const schemeName = 'PersonalAPIKey';
export const security: { [scheme: string]: string[] }[] = [{ [schemeName]: [] }];

export const license: LicenseObject = {
  name: 'Apache-2.0',
  url: 'https://www.apache.org/licenses/LICENSE-2.0',
};

/** @param publicUrl URL of the service for its callers, with or without a trailing slash. */
export function serverOf(publicUrl: string): ServerObject {
  return { url: publicUrl.replace(/\/+$/, '') || '/', description: 'This service.' };
}

/** Adds the scheme, the shared schemas, headers and error responses to a document. */
export function addSharedParts(builder: OpenApiBuilder): OpenApiBuilder {
  builder
    .addSecurityScheme(schemeName, {
      type: 'http',
      scheme: 'bearer',
      description: 'A personal API key: `Authorization: Bearer <API_KEY>`.',
    })
    .addSchema('DashboardFilter', filtersSchema)
    .addSchema('PropertyFilter', propertyFilterSchema)
    .addSchema('QueryProgress', queryProgressSchema)
    .addSchema('Error', errorSchema);
  for (const [name, header] of Object.entries(headers)) builder.addHeader(name, header);
  for (const [status, name] of Object.entries(errorResponseNames)) {
    const documented = Number(status) as DocumentedStatus;
    if (documented !== changeStatus) builder.addResponse(name, errorResponse(documented));
  }
  return builder;
}

/** Only changes of endpoints can respond with it, which an endpoint's own document does not describe. */
const changeStatus = 412;

export function addChangeParts(builder: OpenApiBuilder): void {
  builder.addResponse(errorResponseNames[changeStatus], errorResponse(changeStatus));
}
