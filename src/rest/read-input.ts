/** What a request's text asks of its row. It follows from the text alone, so it is read once for each. */
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors/service-error.ts';
import { codedBody, isUncoded } from '../http/content-coding.ts';
import type { HeaderReader } from '../http/header-reader.ts';
import { isJsonType, noJsonBody, parseJsonBytes } from '../http/json-body.ts';
import { nameOf, type RequestText } from '../http/request-text.ts';
import type { ValueSource } from '../query/variables.ts';
import { formatOfAccept } from './accept.ts';
import { readCacheControl } from './cache-control.ts';
import type { Found } from './match-route.ts';
import type { Route, RouteCall } from './route.ts';
import { readBody, readQuery } from './wire-input.ts';
import { takeVariables } from './wire-variables.ts';

/** A request that was read before: its row, and the very input that was made of it then. */
export interface ParsedInput extends Found<Route> {
  readonly input: RouteCall['input'];
  /** Whether variables came as JSON, or as texts of a query string. */
  readonly valueSource: ValueSource;
}

export interface ParsedInputs {
  /** Null when the text is not one to be kept. */
  keyOf(request: RequestText): string | null;
  find(key: string): ParsedInput | undefined;
  keep(key: string, reading: ParsedInput): void;
}

const maxReadings = 5000;
const maxTextLength = 2048;

/** Runs come in the same words again and again. Nothing here goes stale: who may ask, and what is there, is asked anew. */
export function openParsedInputs(): ParsedInputs {
  const readings = new LRUCache<string, ParsedInput>({ max: maxReadings });
  return {
    keyOf: (request) => nameOf(request, keyOf),
    find: (key) => readings.get(key),
    keep: (key, reading) => void readings.set(key, reading),
  };
}

function keyOf({ method, path, search, headers, body }: RequestText): string | null {
  if (path.length + search.length + body.length > maxTextLength) return null;
  const cacheControl = headers.get('cache-control');
  const stated = cacheControl === null ? '' : `${cacheControl}\n${headers.has('if-none-match')}`;
  const asked = `${method} ${path}${search}\n${headers.get('accept') ?? ''}\n${stated}`;
  if (body.length === 0) return asked;
  if (headers.has('content-encoding')) return null;
  const posted = `${headers.get('content-type') ?? ''}\n${body.toString('latin1')}`;
  return `${asked}\n${posted}`;
}

/**
 * A body wins over the query string, and that over the header Cache-Control; a null in it says nothing where
 * one of them says something.
 */
export function readInput(
  request: RequestText,
  row: Route,
): Pick<ParsedInput, 'input' | 'valueSource'> {
  const params = new URLSearchParams(request.search);
  const taken =
    row.takesVariables === true ? takeVariables(params) : { variables: undefined, rest: params };
  const { headers } = request;
  const query = {
    ...(row.takesVariables === true ? readHeaders(headers) : {}),
    ...readQuery(taken.rest, row.query),
    ...(taken.variables === undefined ? {} : { variables: taken.variables }),
  };
  const body = row.body === null ? {} : readBody(parseBody(request), row.body);
  const given = Object.entries(body).filter(
    ([name, value]) => value !== null || !Object.hasOwn(query, name),
  );
  const input: Record<string, unknown> = { ...query, ...Object.fromEntries(given) };
  if (row.takesVariables === true) input.format ??= formatOfAccept(headers.get('accept'));
  const fromText = taken.variables !== undefined && input.variables === taken.variables;
  return { input, valueSource: fromText ? 'text' : 'json' };
}

/** What a run’s own headers state; whatever else says the same wins. */
function readHeaders(headers: HeaderReader): Readonly<Record<string, unknown>> {
  return readCacheControl(headers.get('cache-control'), headers.has('if-none-match'));
}

function parseBody(request: RequestText): unknown {
  if (request.body.length === 0) return {};
  if (!isJsonType(request.headers.get('content-type'))) {
    throw new ServiceError(
      'unsupported_media_type',
      'Send the body as Content-Type: application/json.',
    );
  }
  if (!isUncoded(request.headers.get('content-encoding'))) {
    throw new ServiceError('unsupported_media_type', codedBody);
  }
  try {
    return parseJsonBytes(request.body);
  } catch {
    throw new ServiceError('malformed_json', noJsonBody);
  }
}
