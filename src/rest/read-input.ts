/** Reads the inputs of a request for its operation. */

import { invalidInput, ServiceError } from '../errors/service-error.ts';
import {
  encodedBodyMessage,
  isJsonType,
  isUnencoded,
  jsonFault,
  notJsonTypeMessage,
  parseJsonBytes,
} from '../http/json-body.ts';
import type { HeaderReader, RequestText } from '../http/message.ts';
import { toCamelCase } from '../lib/camel-case.ts';
import { streamInputs } from '../openapi/schemas/run-inputs.ts';
import type { ValueSource } from '../query/variables.ts';
import { formatOfAccept, requestsEvents } from './accept.ts';
import { readCacheControl } from './cache-control.ts';
import type { Route, RouteCall } from './route.ts';
import { readBody, readQuery } from './wire-input.ts';
import { takeVariables } from './wire-variables.ts';

const maxKeyLength = 2048;

/**
 * The key of a run's prepared request, whose meaning follows from its text alone; null for a text that is too long to
 * store.
 */
export function runKeyOf({ method, path, search, headers, body }: RequestText): string | null {
  if (path.length + search.length + body.length > maxKeyLength) return null;
  const cacheControl = headers.get('cache-control');
  const stated = cacheControl === null ? '' : `${cacheControl}\n${headers.has('if-none-match')}`;
  const head = `${method} ${path}${search}\n${headers.get('accept') ?? ''}\n${stated}`;
  if (body.length === 0) return head;
  if (headers.has('content-encoding')) return null;
  return `${head}\n${headers.get('content-type') ?? ''}\n${body.toString('latin1')}`;
}

export interface ParsedInput {
  readonly input: RouteCall['input'];
  /** Whether variables came as JSON, or as query string texts. */
  readonly valueSource: ValueSource;
  /** Whether the query string or the body bypasses the result cache; `Cache-Control` is handled by HTTP caches. */
  readonly isForced: boolean;
  /** Whether the run requests live results as an event stream. */
  readonly isStream: boolean;
}

/** What a caller sends to choose what is deleted must not be ignored. */
const noMembers = {};

/**
 * The body overrides the query string, which overrides the `Cache-Control` header; null in the body removes their
 * value.
 */
export function readInput(request: RequestText, row: Route): ParsedInput {
  const params = new URLSearchParams(request.search);
  const taken =
    row.takesVariables === true ? takeVariables(params) : { variables: undefined, rest: params };
  const { headers } = request;
  const query = {
    ...(row.takesVariables === true ? readHeaders(headers) : {}),
    ...readQuery(taken.rest, row.query),
    ...(taken.variables === undefined ? {} : { variables: taken.variables }),
  };
  const members = row.body ?? (row.method === 'DELETE' ? noMembers : null);
  const body = members === null ? {} : readBody(parseBody(request), members);
  const given = Object.entries(body).filter(
    ([name, value]) => value !== null || !Object.hasOwn(query, name),
  );
  const input: Record<string, unknown> = { ...query, ...Object.fromEntries(given) };
  const bypasses = input.refresh === 'force' || input.refresh === 'direct';
  const isForced = bypasses && refreshIsNamed(taken.rest, body);
  const accept = headers.get('accept');
  const isStream = row.isFollowable === true && requestsEvents(accept);
  if (row.isFollowable === true && !isStream) refuseStreamInputs(input);
  if (row.takesVariables === true && !isStream) input.format ??= formatOfAccept(accept);
  const fromText = taken.variables !== undefined && input.variables === taken.variables;
  return { input, valueSource: fromText ? 'text' : 'json', isForced, isStream };
}

/** Allows values that mean the same without a stream, because documentation pages send defaults. */
function refuseStreamInputs(input: Record<string, unknown>): void {
  if (input.changes === false) delete input.changes;
  const name = Object.keys(streamInputs).find((wire) => Object.hasOwn(input, toCamelCase(wire)));
  if (name === undefined) return;
  throw invalidInput(
    name,
    `${name} applies to event streams only: send Accept: text/event-stream.`,
  );
}

function refreshIsNamed(query: URLSearchParams, body: Readonly<Record<string, unknown>>): boolean {
  return query.has('refresh') || (body.refresh ?? null) !== null;
}

/** Inputs from a run's headers; the query string and the body override them. */
function readHeaders(headers: HeaderReader): Readonly<Record<string, unknown>> {
  return readCacheControl(headers.get('cache-control'), headers.has('if-none-match'));
}

function parseBody(request: RequestText): unknown {
  if (request.body.length === 0) return {};
  if (!isJsonType(request.headers.get('content-type'))) {
    throw new ServiceError('unsupported_media_type', notJsonTypeMessage);
  }
  if (!isUnencoded(request.headers.get('content-encoding'))) {
    throw new ServiceError('unsupported_media_type', encodedBodyMessage);
  }
  try {
    return parseJsonBytes(request.body);
  } catch (error) {
    const { code, message } = jsonFault(error);
    throw new ServiceError(code, message);
  }
}
