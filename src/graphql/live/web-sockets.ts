/** Subscriptions over WebSocket, using the protocol graphql-transport-ws. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import { CloseCode, type Context, handleProtocols, makeServer, type Server } from 'graphql-ws';
import type { GraphQLParams } from 'graphql-yoga';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { authenticate } from '../../access/authenticate.ts';
import { toServiceError } from '../../errors/service-error.ts';
import { parseJson } from '../../lib/parse-json.ts';
import type { GatewayDeps } from '../context.ts';
import { RawJson, type RawResults, spliceRawJson } from '../raw-json.ts';
import { PulledSubscriber } from './pulled-subscriber.ts';
import { SocketConnection } from './socket-connection.ts';
import { type StartingOperation, StartingOperations } from './starting-operations.ts';
import type { Subscription } from './subscription.ts';
import { RefusedSubscription, type Subscriptions } from './subscriptions.ts';

export interface WebSockets {
  /** Handles a WebSocket upgrade. Returns the status of the response. */
  upgrade(connection: Connecting, subscriptions: Subscriptions): number;
}

export interface Connecting {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

interface Extra {
  readonly socket: WebSocket;
  readonly connection: SocketConnection;
  readonly subscriptions: Subscriptions;
  readonly headerAuthorization: string | null;
  readonly remoteAddress: string | null;
  readonly rawResults: RawResults;
  readonly starting: StartingOperations;
}

export function openWebSockets(gateway: GatewayDeps): WebSockets {
  const protocol = openProtocol(gateway);
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: gateway.core.config.maxBodyBytes,
    handleProtocols,
    perMessageDeflate: false,
  });
  return {
    upgrade({ request, socket: transport, head }, subscriptions) {
      if (gateway.live.isStopping()) {
        transport.end(
          'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n\r\n',
        );
        return 503;
      }
      // Applies to an invalid handshake; the library has already responded to it.
      let status = 400;
      server.handleUpgrade(request, transport, head, (socket) => {
        status = 101;
        const extra: Extra = {
          socket,
          connection: new SocketConnection(socket, transport, gateway.live.addStream),
          subscriptions,
          headerAuthorization: request.headers.authorization ?? null,
          remoteAddress: request.socket.remoteAddress ?? null,
          rawResults: [],
          starting: new StartingOperations(),
        };
        serve(gateway, protocol, extra);
      });
      return status;
    },
  };
}

function serve({ core }: GatewayDeps, protocol: Server<Extra>, extra: Extra): void {
  const { socket, connection, rawResults, starting } = extra;
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => connection.send(Buffer.concat(spliceRawJson(text, rawResults))),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (take) =>
        socket.on('message', (data) => {
          const message = parseMessage(data);
          const failed = (error: unknown): void => {
            core.log.warn({ err: error }, 'a message on a WebSocket could not be handled');
            socket.close(CloseCode.InternalServerError, 'error');
          };
          starting.pass(message, () => void take(message).catch(failed));
        }),
    },
    extra,
  );
  socket.on('error', (error) => core.log.debug({ err: error }, 'a WebSocket failed'));
  socket.once('close', (code, reason) => {
    starting.stopAll();
    void closed(code, String(reason));
  });
}

function openProtocol(gateway: GatewayDeps): Server<Extra> {
  return makeServer<ConnectionParams, Extra>({
    async onConnect({ connectionParams, extra }) {
      const { socket, remoteAddress: address } = extra;
      try {
        const authorization = authorizationOf(connectionParams, extra);
        await authenticate(gateway.core, authorization, { via: 'graphql', address });
        return true;
      } catch (error) {
        socket.close(CloseCode.Unauthorized, toServiceError(error).code);
        return false;
      }
    },
    onSubscribe(context, id, payload) {
      const { subscriptions, starting } = context.extra;
      try {
        const subscription = subscriptions.require(payload as GraphQLParams);
        const contextValue: Operation = { starting: starting.begin(id), subscription, context };
        return { schema: subscriptions.schema, document: subscription.document, contextValue };
      } catch (error) {
        if (error instanceof RefusedSubscription) return error.errors;
        throw error;
      }
    },
    subscribe: ({ contextValue }) => follow(contextValue as Operation),
    // The bytes are spliced into the message when it is sent.
    onNext({ extra }, _id, _payload, _args, result) {
      const { json } = result as unknown as { readonly json?: Buffer };
      if (json === undefined) return undefined;
      return new RawJson([json], extra.rawResults) as FormattedExecutionResult;
    },
  });
}

type Connected = Context<ConnectionParams, Extra>;
type ConnectionParams = Readonly<Record<string, unknown>>;

interface Operation {
  readonly starting: StartingOperation;
  readonly subscription: Subscription;
  readonly context: Connected;
}

/** Its events contain payloads instead of results. */
async function follow({
  starting,
  subscription,
  context,
}: Operation): Promise<AsyncIterable<ExecutionResult> | ExecutionResult> {
  const { extra, connectionParams } = context;
  const { socket, connection, remoteAddress, subscriptions } = extra;
  const reconnect = (): void => connection.end();
  const subscriber = new PulledSubscriber(subscriptions.maskAt(subscription), reconnect);
  const authorization = authorizationOf(connectionParams, extra);
  const caller = { authorization, remoteAddress, signal: starting.signal };
  try {
    subscriber.membership = await subscriptions.follow(subscription, caller, subscriber);
  } catch (error) {
    if (error instanceof RefusedSubscription) return { errors: error.errors };
    throw error;
  } finally {
    starting.settled();
  }
  // The connection may have closed meanwhile.
  if (socket.readyState !== socket.OPEN) await subscriber.return();
  return subscriber as AsyncIterable<unknown> as AsyncIterable<ExecutionResult>;
}

/** From the first message, else from the request: browsers cannot send headers with a WebSocket. */
function authorizationOf(params: ConnectionParams | undefined, extra: Extra): string | null {
  const { authorization, Authorization } = params ?? {};
  const given = authorization ?? Authorization;
  return typeof given === 'string' ? given : extra.headerAuthorization;
}

/** Parsed as POST bodies are. The library closes the connection for a text that is not JSON. */
function parseMessage(data: RawData): string {
  try {
    const message = parseJson(textOf(data));
    // The library takes parsed messages too, which its types do not say. It would parse a string once more.
    return typeof message === 'string' ? '' : (message as string);
  } catch {
    return '';
  }
}

/** A message, which the library delivers in one of three forms. */
function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString();
}
