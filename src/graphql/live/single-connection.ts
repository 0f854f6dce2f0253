/**
 * GraphQL over SSE in single connection mode: PUT reserves a token, GET opens its stream, POST starts operations on it,
 * DELETE ends one. Source: github.com/enisdenjo/graphql-sse, PROTOCOL.md.
 */
import { randomBytes } from 'node:crypto';
import { authenticate } from '../../access/authenticate.ts';
import { ServiceError, toServiceError } from '../../errors/service-error.ts';
import { eventHeaders } from '../../http/event-stream.ts';
import { type HttpResponse, textResponse } from '../../http/message.ts';
import { currentFacts } from '../../http/request-facts.ts';
import type { GatewayDeps } from '../context.ts';
import { paramsOf } from '../read-params.ts';
import type { GraphQLRequest } from '../trace.ts';
import { callerOf } from './event-streams.ts';
import { MultiplexedStream } from './multiplexed-stream.ts';
import type { Subscriptions } from './subscriptions.ts';
import { errorsJson } from './wire.ts';

export interface SingleConnections {
  /** Never rejects. */
  handle(request: GraphQLRequest, subscriptions: Subscriptions): Promise<HttpResponse>;
}

const tokenHeader = 'x-graphql-event-stream-token';

/** Whether the request belongs to single connection mode. */
export function isOfSingleConnection({ method, headers, search }: GraphQLRequest): boolean {
  if (method === 'PUT' || method === 'DELETE') return true;
  return headers.has(tokenHeader) || (method === 'GET' && /[?&]token=/.test(search));
}

interface Reservation {
  readonly keyId: string;
  stream: MultiplexedStream | null;
  /** Ends a reservation that nobody connects to. */
  readonly expiry: NodeJS.Timeout;
}

interface Call {
  readonly request: GraphQLRequest;
  readonly subscriptions: Subscriptions;
  readonly keyId: string;
}

const expiryMs = 60_000;

export function openSingleConnections(gateway: GatewayDeps): SingleConnections {
  const { core, live } = gateway;
  const reservations = new Map<string, Reservation>();

  function reserve({ keyId }: Call): HttpResponse {
    const most = core.config.maxStreamsPerKey;
    const held = [...reservations.values()].filter((one) => one.keyId === keyId).length;
    if (held >= most)
      throw new ServiceError(
        'too_many_streams',
        `This API key already has ${most} reserved streams. Close one, or try again later.`,
        { retryAfterSeconds: 10 },
      );
    const token = randomBytes(24).toString('base64url');
    const expiry = setTimeout(() => reservations.delete(token), expiryMs);
    expiry.unref();
    reservations.set(token, { keyId, stream: null, expiry });
    return withStatus(201, token);
  }

  function connect(token: string, reservation: Reservation, { mask }: Subscriptions): HttpResponse {
    if (reservation.stream !== null)
      throw new ServiceError('unique', 'The stream of this token is already open.');
    clearTimeout(reservation.expiry);
    const stream = new MultiplexedStream({
      mask,
      register: live.addStream,
      onEnd: () => reservations.delete(token),
    });
    reservation.stream = stream;
    return { status: 200, headers: eventHeaders, body: [], events: stream };
  }

  function start({ request, subscriptions }: Call, { stream }: Reservation): HttpResponse {
    if (stream === null)
      throw new ServiceError(
        'not_found',
        'The stream of this token is not open. Open it with GET first.',
      );
    const params = paramsOf(request);
    const id = params.extensions?.operationId;
    if (typeof id !== 'string' || id === '')
      throw new ServiceError(
        'invalid_input',
        'extensions.operationId must be set, to identify the operation.',
        {
          attr: 'extensions.operationId',
        },
      );
    if (stream.has(id))
      throw new ServiceError(
        'unique',
        'An operation with this id is already running on the stream.',
        {
          attr: 'extensions.operationId',
        },
      );
    // Not with the request's signal, because the request ends before the operation.
    const caller = callerOf(request);
    void stream.run(id, async (operation) => {
      const subscription = subscriptions.require(params);
      operation.mask = subscriptions.maskAt(subscription);
      const { signal } = operation;
      return subscriptions.follow(subscription, { ...caller, signal }, operation);
    });
    return withStatus(202, '');
  }

  async function respond(
    request: GraphQLRequest,
    subscriptions: Subscriptions,
  ): Promise<HttpResponse> {
    const { headers, method } = request;
    const search = new URLSearchParams(request.search);
    const origin = { via: 'graphql', address: request.remoteAddress } as const;
    const principal = await authenticate(core, headers.get('authorization'), origin);
    const call: Call = { request, subscriptions, keyId: principal.keyId };
    const token = headers.get(tokenHeader) ?? search.get('token') ?? '';
    if (method === 'PUT') return reserve(call);
    if (token === '')
      throw new ServiceError(
        'method_not_allowed',
        'DELETE is for operations of a stream: name its token.',
      );
    const reservation = reservations.get(token);
    if (reservation === undefined || reservation.keyId !== call.keyId)
      throw new ServiceError('not_found', 'No stream is reserved for this token. Send PUT first.');
    if (method === 'GET') return connect(token, reservation, subscriptions);
    if (method === 'POST') return start(call, reservation);
    reservation.stream?.stop(search.get('operationId') ?? '');
    return withStatus(200, '');
  }

  return {
    handle: (request, subscriptions) =>
      respond(request, subscriptions).catch((error: unknown) =>
        errorResponseOf(error, subscriptions),
      ),
  };
}

/** For a request that starts no operation, so the error is its response. */
function errorResponseOf(error: unknown, { mask }: Subscriptions): HttpResponse {
  const { status, retryAfterSeconds } = toServiceError(error);
  const shown = mask(error);
  const facts = currentFacts();
  if (facts !== null) facts.codes = [String(shown.extensions.code)];
  const response = textResponse(status, 'application/json', errorsJson([shown]).toString());
  const retry = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
  const allow = status === 405 ? { allow: 'GET, HEAD, OPTIONS, POST, PUT, DELETE' } : {};
  return {
    ...response,
    headers: { ...response.headers, 'cache-control': 'no-store', ...retry, ...allow },
  };
}

function withStatus(status: number, text: string): HttpResponse {
  const response = textResponse(status, 'text/plain', text);
  return { ...response, headers: { ...response.headers, 'cache-control': 'no-store' } };
}
