import { createEndpoint, tryCreateEndpoint } from '../../endpoints/create-endpoint.ts';
import { deleteEndpoint } from '../../endpoints/delete-endpoint.ts';
import type { LookAtDryRun } from '../../endpoints/dry-run.ts';
import { tryUpdateEndpoint, updateEndpoint } from '../../endpoints/update-endpoint.ts';
import { builder } from '../builder.ts';
import { toDryRunAnswer } from '../dry-run.ts';
import { loadWritten } from '../load-endpoint.ts';
import { endpointArgs, projectArgs } from './arguments.ts';
import { Endpoint } from './endpoint.ts';

const descriptions = {
  description: 'What the endpoint answers. In an update null changes nothing and "" clears.',
  query:
    'One SELECT as a string, or {kind, query, variables}. In an update a changed query makes a new version.',
  cacheAgeSeconds: "How long a result counts as fresh, 0 to 86400; null: the server's default.",
  isActive: 'Whether it may run. With a target version: whether that version may run.',
  isMaterialized: 'Turns materialization on or off.',
  syncFrequency:
    'How often a materialization is recomputed: 5min, 15min, 30min, 1hour, 2hour, 4hour, 6hour, 12hour, 24hour, 7day or 30day.',
  maxStoredRows:
    "Rows that its stored table may have; null: the server's default. A version that needs more is not materialized.",
  dryRun:
    'Whether to check everything and write nothing. The answer is what would result, under ids of no object.',
} as const;

type Look = LookAtDryRun<Awaited<ReturnType<typeof loadWritten>>>;

const CreateEndpointInput = builder.inputType('CreateEndpointInput', {
  description: 'A new endpoint.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'A letter, then up to 127 letters, digits, underscores or hyphens.',
    }),
    query: t.field({ type: 'JSON', required: true, description: descriptions.query }),
    description: t.string({ description: descriptions.description }),
    cacheAgeSeconds: t.int({ description: descriptions.cacheAgeSeconds }),
    isActive: t.boolean({ description: descriptions.isActive }),
    isMaterialized: t.boolean({ description: descriptions.isMaterialized }),
    syncFrequency: t.string({ description: descriptions.syncFrequency }),
    maxStoredRows: t.int({ description: descriptions.maxStoredRows }),
    derivedFromInsight: t.string({ description: 'Short id of the insight that it comes from.' }),
    dryRun: t.boolean({ description: descriptions.dryRun }),
    version: t.int({ description: 'Absent, null or 1: a new endpoint begins at version 1.' }),
  }),
});

const UpdateEndpointInput = builder.inputType('UpdateEndpointInput', {
  description: 'What to change. Whatever is absent stays as it is.',
  fields: (t) => ({
    name: t.string({ description: 'Tolerated when it is the present name: there is no rename.' }),
    query: t.field({ type: 'JSON', description: descriptions.query }),
    description: t.string({ description: descriptions.description }),
    cacheAgeSeconds: t.int({ description: descriptions.cacheAgeSeconds }),
    isActive: t.boolean({ description: descriptions.isActive }),
    isMaterialized: t.boolean({ description: descriptions.isMaterialized }),
    syncFrequency: t.string({ description: descriptions.syncFrequency }),
    maxStoredRows: t.int({ description: descriptions.maxStoredRows }),
    derivedFromInsight: t.string({ description: 'Accepted and left as it is.' }),
    dryRun: t.boolean({ description: descriptions.dryRun }),
  }),
});

builder.mutationFields((t) => ({
  createEndpoint: t.prismaField({
    type: Endpoint,
    description: 'Saves a query under a name, after the engine has checked it.',
    args: {
      ...projectArgs,
      input: t.arg({ type: CreateEndpointInput, required: true, description: 'The endpoint.' }),
    },
    resolve: async (query, _root, { projectId, input: { dryRun, ...input } }, context) => {
      const { deps, prisma } = context;
      const principal = await context.principal();
      if (dryRun === true) {
        const look: Look = (tx, endpoint) => loadWritten(tx, query, endpoint);
        const tried = await tryCreateEndpoint(deps, principal, { projectId, input, look });
        return toDryRunAnswer(tried.result, tried.check);
      }
      const endpoint = await createEndpoint(deps, principal, { projectId, input });
      return loadWritten(prisma, query, endpoint);
    },
  }),
  updateEndpoint: t.prismaField({
    type: Endpoint,
    description:
      'Changes an endpoint, or the settings of one of its versions when a version is named: read that as version(version) of the result.',
    args: {
      ...endpointArgs,
      version: t.arg.int({
        description: 'The version to change; without it, the endpoint and its current version.',
      }),
      input: t.arg({ type: UpdateEndpointInput, required: true, description: 'What to change.' }),
    },
    resolve: async (query, _root, { input: { dryRun, ...input }, version, ...named }, context) => {
      const { deps, prisma } = context;
      const principal = await context.principal();
      const call = { ...named, input: { ...input, version } };
      if (dryRun === true) {
        const look: Look = (tx, endpoint) => loadWritten(tx, query, endpoint);
        const tried = await tryUpdateEndpoint(deps, principal, { ...call, look });
        return toDryRunAnswer(tried.result, tried.check);
      }
      const { endpoint } = await updateEndpoint(deps, principal, call);
      return loadWritten(prisma, query, endpoint);
    },
  }),
  deleteEndpoint: t.boolean({
    description: 'Deletes an endpoint with all its versions. True when it was there.',
    args: endpointArgs,
    resolve: async (_root, { projectId, name }, context) => {
      await deleteEndpoint(context.deps, await context.principal(), { projectId, name });
      return true;
    },
  }),
}));
