/** The subscription transports of one server. */
import type { HttpResponse } from '../../http/message.ts';
import type { GatewayDeps } from '../context.ts';
import type { GraphQLRequest } from '../trace.ts';
import { mayBeSubscription, openEventStreams } from './event-streams.ts';
import { isOfSingleConnection, openSingleConnections } from './single-connection.ts';
import type { Subscriptions } from './subscriptions.ts';
import { openWebSockets, type WebSockets } from './web-sockets.ts';

export interface Transports {
  /** Null when the request is not a subscription; synchronous when that is obvious. */
  handle(
    request: GraphQLRequest,
    subscriptions: Subscriptions,
  ): Promise<HttpResponse | null> | null;
  readonly webSockets: WebSockets;
}

export function openTransports(gateway: GatewayDeps): Transports {
  const events = openEventStreams(gateway.live);
  const connections = openSingleConnections(gateway);
  return {
    webSockets: openWebSockets(gateway),
    handle(request, subscriptions) {
      if (isOfSingleConnection(request)) return connections.handle(request, subscriptions);
      return mayBeSubscription(request) ? events.handle(request, subscriptions) : null;
    },
  };
}
