/** Subscriptions over HTTP: GraphQL over SSE in distinct connections mode. */
import type { GraphQLParams } from 'graphql-yoga';
import { acceptanceOf, readAccept } from '../../http/accept.ts';
import { eventHeaders } from '../../http/event-stream.ts';
import type { HttpResponse } from '../../http/message.ts';
import { currentFacts } from '../../http/request-facts.ts';
import type { Live } from '../../live/live.ts';
import { paramsOf } from '../read-params.ts';
import type { GraphQLRequest } from '../trace.ts';
import type { Subscription } from './subscription.ts';
import {
  RefusedSubscription,
  type SubscriptionCaller,
  type Subscriptions,
} from './subscriptions.ts';
import { completeFrame, errorsJson, nextFrame, openGraphQLWire } from './wire.ts';

export interface EventStreams {
  /** Null when the request is not a valid subscription. */
  handle(request: GraphQLRequest, subscriptions: Subscriptions): Promise<HttpResponse | null>;
}

export function openEventStreams(live: Live): EventStreams {
  return {
    async handle(request, subscriptions) {
      const subscription = find(subscriptions, request);
      if (subscription === null) return null;
      if (!acceptsEvents(request.headers.get('accept'))) return notAcceptable();
      const wire = openGraphQLWire(subscriptions.maskAt(subscription));
      try {
        const { body, outcome } = await live.openEvents(wire, (subscriber) =>
          subscriptions.follow(subscription, callerOf(request), subscriber),
        );
        return { status: 200, headers: eventHeaders, body: [], events: body, outcome };
      } catch (error) {
        if (error instanceof RefusedSubscription) return refusal(error);
        throw error;
      }
    },
  };
}

/** Whether a request may be a subscription, without parsing it. */
export function mayBeSubscription({ body, search, headers }: GraphQLRequest): boolean {
  if (body.includes('subscription') || search.includes('subscription')) return true;
  return headers.get('accept')?.includes('text/event-stream') === true;
}

export function callerOf(request: GraphQLRequest): SubscriptionCaller {
  const { headers, remoteAddress, signal } = request;
  return { authorization: headers.get('authorization'), remoteAddress, signal };
}

/** An invalid subscription gets the response of any other invalid document. */
function find(subscriptions: Subscriptions, request: GraphQLRequest): Subscription | null {
  try {
    const params: GraphQLParams = paramsOf(request);
    return subscriptions.read(params);
  } catch {
    return null;
  }
}

function acceptsEvents(accept: string | null): boolean {
  const match = acceptanceOf('text/event-stream', readAccept(accept ?? ''));
  return match !== null && match.quality > 0;
}

function notAcceptable(): HttpResponse {
  const message =
    'The response to a subscription is a stream. Send Accept: text/event-stream, or use a WebSocket.';
  const extensions = { code: 'not_acceptable', type: 'invalid_request', attr: null };
  noteCodes(['not_acceptable']);
  return {
    status: 406,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: [Buffer.from(JSON.stringify({ errors: [{ message, extensions }] }))],
  };
}

/** As a stream that ends, because clients pass its errors on with their codes. */
function refusal({ errors }: RefusedSubscription): HttpResponse {
  noteCodes(errors.map(({ extensions }) => String(extensions.code)));
  const { connection: _closed, ...headers } = eventHeaders;
  return {
    status: 200,
    headers,
    body: [nextFrame([errorsJson(errors)]).plain, completeFrame.plain],
  };
}

function noteCodes(codes: readonly string[]): void {
  const facts = currentFacts();
  if (facts !== null) facts.codes = codes;
}
