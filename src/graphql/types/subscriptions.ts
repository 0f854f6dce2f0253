import { requireProject } from '../../access/principal.ts';
import { takeRequest } from '../../access/rates/take-request.ts';
import { readEndpoint } from '../../endpoints/read-endpoint.ts';
import type { MaterializationStatus as StatusRow } from '../../generated/prisma/client.ts';
import { getQueryStatus } from '../../runs/query-status.ts';
import type { RunInput as RunRequestInput } from '../../runs/run-request.ts';
import type { RunResponse } from '../../runs/run-response.ts';
import type { ExecutionRecord } from '../../store/execution-store.ts';
import { builder } from '../builder.ts';
import { LiveTopic } from '../live/topic.ts';
import { loadStatus } from '../load-endpoint.ts';
import { endpointArgs, executionArgs, versionArgs } from './arguments.ts';
import { EndpointRun, RunInput } from './endpoint-run.ts';
import { MaterializationStatus } from './materialization-status.ts';
import { QueryStatus } from './query-status.ts';

builder.subscriptionType({
  description:
    'Live results and statuses, over server-sent events or WebSocket. All fields need the scope endpoint:read.',
});

/** Poll interval of a status in seconds, while something is in progress and while nothing is. */
const often = 1;
const seldom = 10;

builder.subscriptionFields((t) => ({
  runEndpoint: t.field({
    type: EndpointRun,
    nullable: true,
    description: 'The result of a run, first as it is and then whenever its rows change.',
    args: {
      ...endpointArgs,
      input: t.arg({ type: RunInput, description: 'Options of the run.' }),
      intervalSeconds: t.arg.int({
        description:
          'Seconds after which the result is recomputed even if no change is known; default: when it is no longer fresh in the cache.',
      }),
      lastContentId: t.arg.id({
        description:
          'The last contentId received in an earlier subscription. Nothing is sent until the content differs from it.',
      }),
    },
    subscribe: async (
      _root,
      { projectId, name, input, intervalSeconds = null, lastContentId = null },
    ) =>
      new LiveTopic<RunResponse>({
        kind: 'run',
        intervalSeconds,
        lastContentId: lastContentId === null ? null : String(lastContentId),
        call: {
          projectId: String(projectId),
          name,
          input: (input ?? {}) as RunRequestInput,
          valueSource: 'json',
          via: 'graphql',
        },
      }),
    resolve: (run) => run,
  }),
  queryStatus: t.field({
    type: QueryStatus,
    nullable: true,
    description: 'Status of an execution, with its progress, until the execution has ended.',
    args: executionArgs,
    subscribe: async (_root, args, { deps, principal }) => {
      const caller = await principal();
      await takeRequest(deps, caller, String(args.projectId));
      const projectId = requireProject(caller, String(args.projectId));
      const call = { projectId: String(projectId), id: String(args.id) };
      return new LiveTopic<ExecutionRecord>({
        kind: 'polled',
        polled: {
          projectId,
          name: null,
          key: JSON.stringify(['queryStatus', projectId, call.id]),
          read: (reader) => getQueryStatus(deps, reader, call),
          next: ({ endTime }) => (endTime === null ? often : null),
        },
      });
    },
    resolve: (status) => status,
  }),
  materializationStatus: t.field({
    type: MaterializationStatus,
    nullable: true,
    description: 'State of the materialization of a version, with the progress of a running sync.',
    args: versionArgs,
    subscribe: async (_root, args, { deps, prisma, principal }) => {
      const caller = await principal();
      await takeRequest(deps, caller, String(args.projectId));
      const projectId = requireProject(caller, String(args.projectId));
      const { name, version = null } = args;
      const call = { projectId: String(projectId), name, version };
      return new LiveTopic<StatusRow>({
        kind: 'polled',
        polled: {
          projectId,
          name,
          key: JSON.stringify(['materializationStatus', projectId, name, version]),
          async read(reader) {
            return loadStatus({ deps, prisma }, await readEndpoint(deps, reader, call));
          },
          next: ({ claimedUntil }) =>
            claimedUntil !== null && claimedUntil > deps.clock.now() ? often : seldom,
        },
      });
    },
    resolve: (status) => status,
  }),
}));
