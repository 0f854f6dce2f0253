/** Inputs and envelope of lists by limit and offset. */
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas30';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { objectOf, orNull } from '../../openapi/json-schema.ts';
import { count, text } from '../../openapi/schemas/members.ts';
import type { RouteCall } from '../route.ts';
import { toEndpointBody } from './endpoint-fields.ts';

const defaultSize = 100;
const maxSize = 1000;

export const pageInputs = {
  limit: input(
    {
      type: 'integer',
      minimum: 1,
      maximum: maxSize,
      default: defaultSize,
      description: 'Maximum number of entries to return.',
    },
    { outOfRange: `A page must have from 1 to ${maxSize} rows.` },
  ),
  offset: input(
    {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'Number of entries to skip from the start.',
    },
    { outOfRange: 'offset must be an integer from 0 to 2147483647.' },
  ),
} as const satisfies Inputs;

export function pageSchema(items: ReferenceObject): SchemaObject {
  return {
    ...objectOf({
      count: count('Total number over all pages.'),
      next: orNull(text('URL of the next page; null on the last page.')),
      previous: orNull(text('URL of the previous page; null on the first page.')),
      results: { type: 'array', items },
    }),
    description: 'One page of a list.',
  };
}

interface Page {
  readonly first: number;
  readonly offset: number;
}

/** The page as arguments of a GraphQL connection. */
export function pageOf({ input: { limit, offset } }: RouteCall, size = defaultSize): Page {
  return { first: Number(limit ?? size), offset: Number(offset ?? 0) };
}

/** The envelope of a connection of endpoints or versions. */
export function toList(connection: unknown, call: RouteCall): object {
  return toPage(connection, call, { toBody: toEndpointBody });
}

/** The envelope of any connection. */
export function toPage(
  connection: unknown,
  call: RouteCall,
  {
    toBody = (node) => node,
    size = defaultSize,
  }: { readonly toBody?: (node: unknown) => unknown; readonly size?: number } = {},
): object {
  const { totalCount, edges } = connection as {
    readonly totalCount: number;
    readonly edges: readonly { readonly node: unknown }[];
  };
  const { first, offset } = pageOf(call, size);
  const pageAt = (at: number) => pageUrl(call, { first, offset: at });
  return {
    count: totalCount,
    next: offset + first < totalCount ? pageAt(offset + first) : null,
    previous: offset > 0 ? pageAt(Math.max(0, offset - first)) : null,
    results: edges.map(({ node }) => toBody(node)),
  };
}

/** Absolute, with the request's query string. */
function pageUrl(call: RouteCall, { first, offset }: Page): string {
  const url = call.url();
  url.searchParams.set('limit', String(first));
  url.searchParams.set('offset', String(offset));
  return url.toString();
}
