import type { HeaderObject, HeadersObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas30';
import {
  type ErrorCode,
  type ErrorStatus,
  errorStatus,
  errorType,
} from '../../errors/service-error.ts';
import { objectOf, schemaRef } from '../json-schema.ts';
import { integer, text } from './members.ts';

const codes = Object.keys(errorStatus) as readonly ErrorCode[];

/** The single error body, with every code of the catalogue. */
export const errorSchema: SchemaObject = {
  ...objectOf(
    {
      type: {
        type: 'string',
        enum: [...new Set(codes.map(errorType))],
        description: 'Category of the error.',
      },
      code: { type: 'string', enum: [...codes], description: 'Error code, for programs.' },
      detail: text('What was wrong and what is accepted, for people.'),
      attr: { type: 'string', nullable: true, description: 'The invalid input, or null.' },
      error: text('With version_not_found: the same as detail.'),
      current_version: integer('With version_not_found: number of the current version.'),
    },
    ['type', 'code', 'detail', 'attr'],
  ),
  description: 'An error response.',
};

export const headers = {
  RetryAfter: {
    description: 'Seconds to wait before retrying.',
    schema: { type: 'integer', minimum: 0 },
  },
  WWWAuthenticate: {
    description: 'The authentication scheme: Bearer.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Strong validator of this response, for If-None-Match.',
    schema: { type: 'string' },
  },
  CacheControl: {
    description:
      'private with the total freshness lifetime in seconds as max-age, of which Age seconds have passed; or no-cache, or no-store.',
    schema: { type: 'string' },
  },
  Age: {
    description: 'Seconds since last_refresh.',
    schema: { type: 'integer', minimum: 0 },
  },
  QuerydockStale: {
    description: 'The stale_reason of a stale response.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, HeaderObject>;

type HeaderName = keyof typeof headers;

function headerRef(name: HeaderName): { readonly $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}

/** The documented statuses, each with the name of its shared response. */
export const errorResponseNames = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  406: 'NotAcceptable',
  412: 'PreconditionFailed',
  413: 'BodyTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'Failed',
  503: 'Unavailable',
} as const satisfies Partial<Record<ErrorStatus, string>>;

export type DocumentedStatus = keyof typeof errorResponseNames;

const meanings: Readonly<Record<DocumentedStatus, string>> = {
  400: 'The request is invalid.',
  401: 'The API key is missing or invalid.',
  403: 'The API key lacks the required scope or access to the project.',
  404: 'The endpoint or version does not exist or is not active.',
  406: 'None of the media types in Accept is available.',
  412: 'The endpoint has changed since it was read; nothing was written.',
  413: 'The body exceeds the size limit.',
  415: 'The operation does not accept the media type of the body.',
  429: 'Too many requests, or too many concurrent queries. Retry after Retry-After.',
  500: 'Internal error.',
  503: 'The engine or the service is unavailable. Retry after Retry-After.',
};

const retryAfter = { 'Retry-After': headerRef('RetryAfter') };
const errorHeaders: Partial<Record<DocumentedStatus, HeadersObject>> = {
  401: { 'WWW-Authenticate': headerRef('WWWAuthenticate') },
  429: retryAfter,
  503: retryAfter,
};

/** Headers of a run's response that describe its freshness and identify its content. */
export const freshnessHeaders: HeadersObject = {
  ETag: headerRef('ETag'),
  'Cache-Control': headerRef('CacheControl'),
  Age: headerRef('Age'),
  'Querydock-Stale': headerRef('QuerydockStale'),
};

/** Headers of reads other than runs. */
export const readHeaders: HeadersObject = {
  ETag: headerRef('ETag'),
  'Cache-Control': headerRef('CacheControl'),
};

export const readNotModifiedResponse: ResponseObject = {
  description: 'The content matches If-None-Match.',
  headers: readHeaders,
};

export const notModifiedResponse: ResponseObject = {
  description: 'The content matches If-None-Match.',
  headers: freshnessHeaders,
};

/** The shared response of one status, with its codes. */
export function errorResponse(status: DocumentedStatus): ResponseObject {
  const mine = codes.filter((code) => errorStatus[code] === status);
  return {
    description: `${meanings[status]} Codes: ${mine.map((code) => `\`${code}\``).join(', ')}.`,
    ...(errorHeaders[status] === undefined ? {} : { headers: errorHeaders[status] }),
    content: { 'application/json': { schema: schemaRef('Error') } },
  };
}

const everywhere = [400, 401, 403, 404, 429, 500, 503] as const;
const ofBodies = [413, 415] as const;
const ofRuns = [406] as const;
const ofConditions = [412] as const;

/** An operation's error responses by status, as references. */
export function errorRefs(operation: {
  readonly hasBody: boolean;
  readonly isRun: boolean;
  readonly isConditional?: boolean | undefined;
}): Readonly<Record<string, { readonly $ref: string }>> {
  const statuses: readonly DocumentedStatus[] = [
    ...everywhere,
    ...(operation.hasBody ? ofBodies : []),
    ...(operation.isRun ? ofRuns : []),
    ...(operation.isConditional === true ? ofConditions : []),
  ];
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      { $ref: `#/components/responses/${errorResponseNames[status]}` },
    ]),
  );
}
