/** Subscriptions of a project's data graph: documents like queries, with one field, whose run is followed. */
import { createHash } from 'node:crypto';
import { GraphQLError, getOperationAST } from 'graphql';
import { requireProject, requireScope } from '../../access/principal.ts';
import { takeRequest } from '../../access/rates/take-request.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { Membership, Subscriber } from '../../live/channel.ts';
import type { RunContent } from '../../live/content.ts';
import { unknownContent } from '../../live/source.ts';
import type { Representation } from '../../live/sources.ts';
import { createContext, type GatewayDeps } from '../context.ts';
import { parseWithin } from '../limit-documents.ts';
import { type Subscription, selecting } from '../live/subscription.ts';
import {
  isWellTyped,
  maskOf,
  RefusedSubscription,
  type SubscriptionCaller,
  type Subscriptions,
  toSubscriptions,
} from '../live/subscriptions.ts';
import type { PersistedDocuments } from '../persisted-documents.ts';
import { type Documents, emptySchema, type GraphDocument } from './documents.ts';
import { fieldError, laterFieldError } from './graph-errors.ts';
import type { PlannedRun } from './plan.ts';
import { rootRunOf } from './run-input.ts';
import { variableErrors } from './variable-errors.ts';
import { writeRun } from './write-run.ts';

interface Deps {
  readonly gateway: GatewayDeps;
  readonly documents: Documents;
  readonly persisted: PersistedDocuments;
}

/** @param project as the caller wrote it: a number, or `@current`. */
export function openGraphSubscriptions(deps: Deps, project: string): Subscriptions {
  const { gateway, persisted } = deps;
  return toSubscriptions({
    mask: maskOf(gateway),
    schema: emptySchema,
    read(params) {
      const completed = persisted.complete(params);
      if (!isWellTyped(completed)) return null;
      const { query: text, operationName, variables } = completed;
      const document = parseWithin(gateway.core.config, text);
      if (getOperationAST(document, operationName)?.operation !== 'subscription') return null;
      const values = variables ?? {};
      return { text, document, operationName: operationName ?? undefined, variables: values };
    },
    follow: (subscription, caller, subscriber) =>
      follow(deps, { project, subscription, caller, subscriber }),
  });
}

interface Following {
  readonly project: string;
  readonly subscription: Subscription;
  readonly caller: SubscriptionCaller;
  readonly subscriber: Subscriber;
}

async function follow(
  deps: Deps,
  { project, subscription, caller, subscriber }: Following,
): Promise<Membership> {
  const { gateway, documents } = deps;
  const context = createContext(gateway, { via: 'graphql', ...caller, source: caller });
  const principal = await context.principal();
  requireScope(principal, 'endpoint:read');
  const projectId = requireProject(principal, project);
  const read = await documents.read(projectId, subscription.text);
  const planned = planOne(deps, read, subscription);
  if (planned instanceof Error) {
    // It cost lookups, and no run that is counted separately follows.
    await takeRequest(gateway.core, principal, project);
    throw planned;
  }
  const { root, values } = planned;
  const field = read.fields.get(root.shape.field);
  if (field === undefined) throw new Error(`the document has no field ${root.shape.field}`);
  try {
    const { input, intervalSeconds, lastContentId } = rootRunOf(
      { ...root, version: field.version },
      values,
    );
    const { name } = field.endpoint;
    const call = {
      projectId: String(projectId),
      name,
      input,
      valueSource: 'json',
      via: 'graphql',
    } as const;
    const representation = representationOf(gateway, subscription, root);
    const { authorization, signal } = caller;
    return await gateway.live.followRun(
      { call, intervalSeconds, representation },
      {
        principal,
        authorization: authorization ?? '',
        signal,
        has: lastContentId ?? unknownContent,
      },
      subscriber,
    );
  } catch (error) {
    throw fieldError(error, root);
  }
}

interface PlannedOne {
  readonly root: PlannedRun;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Returns the errors if the document is refused. */
function planOne(
  { gateway, documents }: Deps,
  { document, planner, errors }: GraphDocument,
  { operationName, variables }: Subscription,
): PlannedOne | Error {
  const mask = maskOf(gateway);
  if (errors.length > 0) return new RefusedSubscription(errors.map(mask));
  const refusal = documents.refusalOfCost({ document, operationName, variables });
  if (refusal !== null) return refusal;
  const planned = planner.plan(operationName, variables, 'subscription');
  if (planned.kind === 'refused')
    return new RefusedSubscription(variableErrors(planned.errors, planned.operation).map(mask));
  const [root, ...others] = planned.roots;
  if (root?.kind === 'run' && others.length === 0) return { root, values: planned.values };
  return new GraphQLError('A subscription must select exactly one field, that of an endpoint.');
}

/** The document's selection is written once per result. A result that no longer fits ends the stream. */
function representationOf(
  { core }: GatewayDeps,
  { text, operationName, variables }: Subscription,
  root: PlannedRun,
): Representation<RunContent> {
  const content = stableJson([text, operationName, selecting(variables), root.shape.id]);
  const name = `graph ${createHash('sha256').update(content).digest('base64url')}`;
  const opening = Buffer.from(`{"data":{${JSON.stringify(root.key)}:`);
  return {
    name,
    toFailure: (error) => laterFieldError(error, root),
    open:
      () =>
      async ({ run }) => {
        const budget = { bytesLeft: core.config.maxResultBytes, signal: undefined };
        const pieces = await writeRun(run, root, budget);
        return { data: Buffer.concat([opening, ...pieces, closing]), changes: null };
      },
  };
}

const closing = Buffer.from('}}');
