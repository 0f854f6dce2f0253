/** Lists by limit and offset: their inputs and their envelope. */
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
      description: 'How many to return at most.',
    },
    { outOfRange: `A page has from 1 to ${maxSize} rows.` },
  ),
  offset: input(
    {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'How many to skip from the start.',
    },
    { outOfRange: 'An offset is a whole number from 0 to 2147483647.' },
  ),
} as const satisfies Inputs;

export function pageSchema(items: ReferenceObject): SchemaObject {
  return {
    ...objectOf({
      count: count('How many there are in all.'),
      next: orNull(text('Address of the next page; null on the last.')),
      previous: orNull(text('Address of the page before; null on the first.')),
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

/** The envelope around a connection of endpoints or versions. */
export function toList(connection: unknown, call: RouteCall): object {
  return toPage(connection, call, { toBody: toEndpointBody });
}

/** The same around any connection. */
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

/** Absolute, with the query string of the request. */
function pageUrl(call: RouteCall, { first, offset }: Page): string {
  const url = call.url();
  url.searchParams.set('limit', String(first));
  url.searchParams.set('offset', String(offset));
  return url.toString();
}
