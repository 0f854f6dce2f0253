import { createEndpoint, tryCreateEndpoint } from '../../endpoints/create-endpoint.ts';
import { deleteEndpoint } from '../../endpoints/delete-endpoint.ts';
import type { ReadDryRun } from '../../endpoints/dry-run.ts';
import { tryUpdateEndpoint, updateEndpoint } from '../../endpoints/update-endpoint.ts';
import { builder } from '../builder.ts';
import { toDryRunResult, withRemarks } from '../dry-run.ts';
import { loadWritten } from '../load-endpoint.ts';
import { endpointArgs, projectArgs } from './arguments.ts';
import { Endpoint } from './endpoint.ts';

const descriptions = {
  graphqlName:
    'Name of its field in the data graph: a lowercase letter, then up to 127 letters, digits or underscores. Default for a new endpoint: its name in camelCase, with _2, _3 and so on if that is taken. In an update, null changes nothing.',
  description: 'Description. In an update null changes nothing and "" clears it.',
  query:
    'One SELECT as a string, or {kind, query, variables}. In an update a changed query creates a new version.',
  cacheAgeSeconds: "Seconds for which a result is fresh, 0 to 86400; null: the server's default.",
  isActive: 'Whether runs are allowed. With a target version: whether runs of that version are.',
  isMaterialized: 'Whether materialization is enabled.',
  syncFrequency:
    'How often a materialization is recomputed: 5min, 15min, 30min, 1hour, 2hour, 4hour, 6hour, 12hour, 24hour, 7day or 30day.',
  dataFreshnessSeconds:
    'Maximum age of the stored table in seconds, 900 to 604800, as an alternative to syncFrequency: selects the longest cadence that does not exceed it. If both are given they must agree.',
  tags: 'Labels that replace the existing ones, at most 20; null changes nothing.',
  maxStoredRows:
    "Maximum number of rows in the stored table; null: the server's default. A version that needs more is not materialized.",
  dryRun:
    'Whether to validate the request without writing anything. Returns the object that would result; its ids belong to no stored object.',
} as const;

type Look = ReadDryRun<Awaited<ReturnType<typeof loadWritten>>>;

const CreateEndpointInput = builder.inputType('CreateEndpointInput', {
  description: 'A new endpoint.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'A letter, then up to 127 letters, digits, underscores or hyphens.',
    }),
    graphqlName: t.string({ description: descriptions.graphqlName }),
    query: t.field({ type: 'JSON', required: true, description: descriptions.query }),
    description: t.string({ description: descriptions.description }),
    cacheAgeSeconds: t.int({ description: descriptions.cacheAgeSeconds }),
    isActive: t.boolean({ description: descriptions.isActive }),
    isMaterialized: t.boolean({ description: descriptions.isMaterialized }),
    syncFrequency: t.string({ description: descriptions.syncFrequency }),
    dataFreshnessSeconds: t.int({ description: descriptions.dataFreshnessSeconds }),
    maxStoredRows: t.int({ description: descriptions.maxStoredRows }),
    tags: t.stringList({ description: descriptions.tags }),
    derivedFromInsight: t.string({ description: 'Short id of the insight it is derived from.' }),
    dryRun: t.boolean({ description: descriptions.dryRun }),
    version: t.int({
      description: 'Must be absent, null or 1, because a new endpoint starts at version 1.',
    }),
  }),
});

const UpdateEndpointInput = builder.inputType('UpdateEndpointInput', {
  description: 'Changes to an endpoint. Absent members remain unchanged.',
  fields: (t) => ({
    name: t.string({
      description: 'Accepted only if it is the current name: endpoints cannot be renamed.',
    }),
    graphqlName: t.string({ description: descriptions.graphqlName }),
    query: t.field({ type: 'JSON', description: descriptions.query }),
    description: t.string({ description: descriptions.description }),
    cacheAgeSeconds: t.int({ description: descriptions.cacheAgeSeconds }),
    isActive: t.boolean({ description: descriptions.isActive }),
    isMaterialized: t.boolean({ description: descriptions.isMaterialized }),
    syncFrequency: t.string({ description: descriptions.syncFrequency }),
    dataFreshnessSeconds: t.int({ description: descriptions.dataFreshnessSeconds }),
    maxStoredRows: t.int({ description: descriptions.maxStoredRows }),
    tags: t.stringList({ description: descriptions.tags }),
    derivedFromInsight: t.string({ description: 'Accepted for compatibility; never changes.' }),
    dryRun: t.boolean({ description: descriptions.dryRun }),
  }),
});

const matchArg = builder.args((t) => ({
  ifMatch: t.stringList({
    description:
      'Accepted revisions, as in the header If-Match. If the endpoint has none of them, the request fails with precondition_failed and nothing is written.',
  }),
}));

builder.mutationFields((t) => ({
  createEndpoint: t.prismaField({
    type: Endpoint,
    description: 'Creates an endpoint, after the engine has checked its query.',
    args: {
      ...projectArgs,
      input: t.arg({ type: CreateEndpointInput, required: true, description: 'The endpoint.' }),
    },
    resolve: async (query, _root, { projectId, input: { dryRun, ...input } }, context) => {
      const { deps } = context;
      const principal = await context.principal();
      if (dryRun === true) {
        const look: Look = (tx, endpoint) => loadWritten({ deps, prisma: tx }, query, endpoint);
        const tried = await tryCreateEndpoint(deps, principal, { projectId, input, look });
        return toDryRunResult(tried);
      }
      const endpoint = await createEndpoint(deps, principal, { projectId, input });
      return loadWritten(context, query, endpoint);
    },
  }),
  updateEndpoint: t.prismaField({
    type: Endpoint,
    description:
      'Changes an endpoint or, with a version, the settings of that version; select version(version) of the result to read it.',
    args: {
      ...endpointArgs,
      version: t.arg.int({
        description: 'The version to change; default: the endpoint and its current version.',
      }),
      input: t.arg({ type: UpdateEndpointInput, required: true, description: 'The changes.' }),
      expected: t.arg({
        type: 'JSON',
        description:
          'Read-only members of the endpoint as read, such as {id, currentVersion, createdAt}: the update is refused if one differs. With id and currentVersion, settings equal to the present ones change nothing, and currentVersion may come with a changed query.',
      }),
      ...matchArg,
    },
    resolve: async (query, _root, { input: { dryRun, ...input }, version, ...named }, context) => {
      const { deps } = context;
      const principal = await context.principal();
      const call = { ...named, input: { ...input, version } };
      if (dryRun === true) {
        const look: Look = (tx, endpoint) => loadWritten({ deps, prisma: tx }, query, endpoint);
        const tried = await tryUpdateEndpoint(deps, principal, { ...call, look });
        return toDryRunResult(tried);
      }
      const { endpoint, graphChanges } = await updateEndpoint(deps, principal, call);
      const written = await loadWritten(context, query, endpoint);
      return withRemarks(written, { check: null, graphChanges });
    },
  }),
  deleteEndpoint: t.boolean({
    description: 'Deletes an endpoint with all its versions. True if the endpoint existed.',
    args: { ...endpointArgs, ...matchArg },
    resolve: async (_root, { projectId, name, ifMatch }, context) => {
      await deleteEndpoint(context.deps, await context.principal(), { projectId, name, ifMatch });
      return true;
    },
  }),
}));
