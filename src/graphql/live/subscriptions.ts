/** Subscriptions of every transport: validated like any document, then followed. */
import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  validate,
} from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { invalidInput, type ServiceError } from '../../errors/service-error.ts';
import { andThen } from '../../lib/maybe-promise.ts';
import type { Membership, Subscriber } from '../../live/channel.ts';
import { type Content, unknownContent } from '../../live/source.ts';
import type { Representation } from '../../live/sources.ts';
import { createContext, type GatewayDeps, toPlainContext } from '../context.ts';
import { type DocumentCache, openDocumentCache } from '../document-cache.ts';
import { laterErrorAt, toGraphQLError, withoutSuggestions, withSafeMessage } from '../errors.ts';
import { parseWithin } from '../limit-documents.ts';
import type { LimitChecks } from '../limits.ts';
import type { PersistedDocuments } from '../persisted-documents.ts';
import { type RawResults, spliceRawJson } from '../raw-json.ts';
import { rootFieldOf } from './root-field.ts';
import { nameOf, placedIn, type Subscription, selecting } from './subscription.ts';
import { LiveTopic } from './topic.ts';

export interface SubscriptionCaller {
  readonly authorization: string | null;
  readonly remoteAddress: string | null;
  /** Aborted when the caller disconnects before the first event. */
  readonly signal: AbortSignal | undefined;
}

/** Errors in the form in which they are sent. */
export class RefusedSubscription extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super('the subscription was refused');
    this.errors = errors;
  }
}

export interface Subscriptions {
  /** Null when it is not a subscription. Throws RefusedSubscription. */
  read(params: GraphQLParams): Subscription | null;
  /** The same for connections that only accept subscriptions. */
  require(params: GraphQLParams): Subscription;
  /** Resolves when the first event can be sent. Throws RefusedSubscription. */
  follow(
    subscription: Subscription,
    caller: SubscriptionCaller,
    subscriber: Subscriber,
  ): Promise<Membership>;
  /** Converts an error to the form in which it is sent. */
  readonly mask: (error: unknown) => GraphQLError;
  /** The same for errors of a valid subscription, which get the path of its field. */
  maskAt(subscription: Subscription): (error: unknown) => GraphQLError;
  readonly schema: GraphQLSchema;
}

interface Options {
  readonly gateway: GatewayDeps;
  readonly schema: GraphQLSchema;
  readonly limits: LimitChecks;
  readonly persisted: PersistedDocuments;
  readonly documents: DocumentCache;
  readonly mask: (error: unknown) => GraphQLError;
}

export function openSubscriptions(
  gateway: GatewayDeps,
  schema: GraphQLSchema,
  given: Pick<Options, 'limits' | 'persisted'>,
): Subscriptions {
  const mask = maskOf(gateway);
  const options: Options = { ...given, gateway, schema, mask, documents: openDocumentCache() };
  return toSubscriptions({
    mask,
    schema,
    read: (params) => read(options, params),
    follow: (subscription, caller, subscriber) =>
      follow(options, subscription, { caller, subscriber }),
  });
}

/** Turns any failure of `read` or `follow` into a refusal with masked errors. */
export function toSubscriptions({
  mask,
  schema,
  read,
  follow,
}: Omit<Subscriptions, 'require' | 'maskAt'>): Subscriptions {
  const refuse = (error: unknown): RefusedSubscription =>
    error instanceof RefusedSubscription ? error : new RefusedSubscription([mask(error)]);
  const readOrRefuse = (params: GraphQLParams): Subscription | null => {
    try {
      return read(params);
    } catch (error) {
      throw refuse(error);
    }
  };
  return {
    mask,
    maskAt: (subscription) => (error) => mask(placedIn(subscription, error)),
    schema,
    read: readOrRefuse,
    require(params) {
      const found = readOrRefuse(params);
      if (found === null) throw refuse(noSubscription());
      return found;
    },
    async follow(subscription, caller, subscriber) {
      try {
        return await follow(subscription, caller, subscriber);
      } catch (error) {
        throw refuse(error);
      }
    },
  };
}

/** Masks errors for callers. */
export function maskOf({ core }: GatewayDeps): (error: unknown) => GraphQLError {
  const { config, log } = core;
  return (error) => {
    const shown = toGraphQLError(error, log);
    return (config.introspection ? shown : withoutSuggestions(shown)) as GraphQLError;
  };
}

function noSubscription(): ServiceError {
  return invalidInput(
    'query',
    'This connection accepts only subscriptions. Send queries and mutations with POST.',
  );
}

/** Anything else is refused like any other request. */
export function isWellTyped<Params extends GraphQLParams>(
  params: Params,
): params is Params & { readonly query: string } {
  const query: unknown = params.query;
  const operationName: unknown = params.operationName ?? null;
  const variables: unknown = params.variables ?? null;
  return (
    typeof query === 'string' &&
    (operationName === null || typeof operationName === 'string') &&
    typeof variables === 'object' &&
    !Array.isArray(variables)
  );
}

function read(options: Options, params: GraphQLParams): Subscription | null {
  const { documents, persisted, limits, schema, mask } = options;
  const { config } = options.gateway.core;
  const completed = persisted.complete(params);
  if (!isWellTyped(completed)) return null;
  const { query: text, operationName, variables } = completed;
  const known = documents.get(text);
  const document = known ?? parseWithin(config, text);
  if (getOperationAST(document, operationName)?.operation !== 'subscription') return null;
  if (known === undefined) {
    const refusals = limits.refusalsOf(document);
    const errors = refusals.length > 0 ? refusals : validate(schema, document).map(withSafeMessage);
    if (errors.length > 0) throw new RefusedSubscription(errors.map(mask));
    documents.set(text, document);
  }
  const found: Subscription = {
    text,
    document,
    operationName: operationName ?? undefined,
    variables: variables ?? {},
  };
  const refusal = limits.refusalOfCost({ ...found });
  if (refusal !== null) throw refusal;
  return found;
}

interface Following {
  readonly caller: SubscriptionCaller;
  readonly subscriber: Subscriber;
}

async function follow(
  options: Options,
  subscription: Subscription,
  { caller, subscriber }: Following,
): Promise<Membership> {
  const { gateway, schema, mask } = options;
  const { document, operationName, variables: variableValues } = subscription;
  const context = createContext(gateway, { via: 'graphql', ...caller, source: caller });
  const contextValue = toPlainContext(context);
  const args = { schema, document, operationName, variableValues, contextValue };
  const source = await createSourceEventStream(args);
  if (!(source instanceof LiveTopic)) {
    const { errors = [] } = source as ExecutionResult;
    throw new RefusedSubscription(errors.map(mask));
  }
  const { topic } = source as LiveTopic<unknown>;
  try {
    return await join(options, subscription, { caller, subscriber, topic, context });
  } catch (error) {
    throw placedIn(subscription, error);
  }
}

interface Joining extends Following {
  readonly topic: LiveTopic<unknown>['topic'];
  readonly context: ReturnType<typeof createContext>;
}

async function join(
  options: Options,
  subscription: Subscription,
  { caller, subscriber, topic, context }: Joining,
): Promise<Membership> {
  const { live } = options.gateway;
  const principal = await context.principal();
  const { authorization, signal } = caller;
  const follower = { principal, authorization: authorization ?? '', signal };
  if (topic.kind === 'run') {
    const { call, intervalSeconds, lastContentId } = topic;
    const representation = representationOf(options, subscription, {
      name: nameOf({ ...subscription, variables: selecting(subscription.variables) }),
      rootOf: (content: Content & { readonly run: unknown }) => content.run,
    });
    return live.followRun(
      { call, intervalSeconds, representation },
      { ...follower, has: lastContentId ?? unknownContent },
      subscriber,
    );
  }
  const representation = representationOf(options, subscription, {
    name: nameOf(subscription),
    rootOf: (content: Content & { readonly value: unknown }) => content.value,
  });
  return live.followPolled(
    { ...topic.polled, representation },
    { ...follower, has: unknownContent },
    subscriber,
  );
}

/** Executes the document's selection once per content. */
function representationOf<C extends Content>(
  { gateway, schema, mask }: Options,
  { document, operationName, variables: variableValues }: Subscription,
  { name, rootOf }: { readonly name: string; readonly rootOf: (content: C) => unknown },
): Representation<C> {
  return {
    name,
    toFailure: (error) => laterErrorAt(error, rootFieldOf(document, operationName)),
    open: () => (content) => {
      const rawResults: RawResults = [];
      const anybody = {
        via: 'graphql',
        authorization: null,
        source: noSource,
        rawResults,
      } as const;
      const contextValue = toPlainContext(createContext(gateway, anybody));
      const rootValue = rootOf(content);
      const args = { schema, document, operationName, variableValues, contextValue, rootValue };
      return andThen(execute(args), ({ data, errors }) => {
        const result = errors === undefined ? { data } : { data, errors: errors.map(mask) };
        return {
          data: Buffer.concat(spliceRawJson(JSON.stringify(result), rawResults)),
          changes: null,
        };
      });
    },
  };
}

const noSource = { signal: undefined } as const;
