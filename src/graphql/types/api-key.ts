import { authorizeCurrentKey, authorizeKeyList } from '../../access/authorize-keys.ts';
import { createOwnKey } from '../../access/create-key.ts';
import { revokeKey } from '../../access/revoke-key.ts';
import { readLimits } from '../../model/query-limits.ts';
import { builder } from '../builder.ts';
import { pageByCreation } from '../cursors.ts';
import { LimitsInput, OwnLimits } from './limits.ts';
import { Project } from './project.ts';
import { User } from './user.ts';

const ApiKey = builder.prismaObject('ApiKey', {
  description: 'An API key, without its secret.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the key.' }),
    label: t.exposeString('label', { description: 'Label: what the key is for.' }),
    prefix: t.exposeString('prefix', { description: 'The first characters of the key.' }),
    owner: t.relation('user', { type: User, description: 'Owner of the key.' }),
    scopes: t.exposeStringList('scopes', {
      description:
        'Scopes: endpoint:read, endpoint:write (implies read), data:write (loads rows only), admin (implies all).',
    }),
    projectIds: t.idList({
      select: { projects: { select: { id: true }, orderBy: { id: 'asc' } } },
      description: 'Ids of the projects that the key has access to.',
      resolve: (key) => key.projects.map((project) => project.id),
    }),
    projects: t.relation('projects', {
      type: Project,
      description: 'The projects that the key has access to.',
      query: () => ({ orderBy: { id: 'asc' } }),
    }),
    limits: t.field({
      type: OwnLimits,
      select: { limits: true },
      description: 'Limits of the key itself; where a project has a lower one, that one applies.',
      resolve: ({ limits }) => readLimits(limits),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was issued.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key expires; null if it never does.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used, accurate to 30 seconds.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was revoked; null if it is valid.',
    }),
  }),
});

const IssuedKey = builder
  .objectRef<{ readonly id: string; readonly key: string }>('IssuedKey')
  .implement({
    description: 'A new key with its secret, which is shown only once.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the key.' }),
      key: t.exposeString('key', {
        description: 'The secret, to send as Authorization: Bearer <key>.',
      }),
    }),
  });

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'A new key for the caller.',
  fields: (t) => ({
    label: t.string({ required: true, description: 'Label: what the key is for.' }),
    scopes: t.stringList({
      required: true,
      description:
        'Scopes: endpoint:read, endpoint:write (implies read), data:write (loads rows only), admin (implies all).',
    }),
    projectIds: t.intList({
      required: true,
      description: 'Ids of the projects that the key has access to.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the key expires; never if absent or null.',
    }),
    limits: t.field({
      type: LimitsInput,
      description: 'Limits of the key itself. They must not exceed those of any of its projects.',
    }),
  }),
});

builder.queryFields((t) => ({
  currentKey: t.prismaField({
    type: ApiKey,
    nullable: true,
    description: 'The key of this request.',
    resolve: async (query, _root, _args, { prisma, principal }) => {
      const id = authorizeCurrentKey(await principal());
      return prisma.apiKey.findUniqueOrThrow({ ...query, where: { id } });
    },
  }),
  apiKeys: t.prismaConnection(
    {
      type: ApiKey,
      nullable: true,
      cursor: 'id',
      description: 'All keys, newest first. Needs the scope admin.',
      totalCount: async (_connection, _args, context) => {
        authorizeKeyList(await context.principal());
        return context.prisma.apiKey.count();
      },
      resolve: async (query, _root, _args, context) => {
        authorizeKeyList(await context.principal());
        const page = pageByCreation(query);
        return context.prisma.apiKey.findMany({
          ...page.query,
          where: page.where,
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        });
      },
    },
    { name: 'ApiKeyConnection', description: 'A page of API keys.' },
    { name: 'ApiKeyEdge', description: 'A key of a page.' },
  ),
}));

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: IssuedKey,
    description: 'Issues an API key. Needs the scope admin.',
    args: {
      input: t.arg({
        type: CreateApiKeyInput,
        required: true,
        description: 'Settings of the key.',
      }),
    },
    resolve: async (_root, { input }, { deps, principal }) =>
      createOwnKey(deps, await principal(), {
        ...input,
        expiresAt: input.expiresAt ?? null,
        limits: input.limits ?? {},
      }),
  }),
  revokeApiKey: t.boolean({
    description:
      'Revokes a key on every process within seconds. False if it was already revoked. Needs the scope admin.',
    args: { id: t.arg.id({ required: true, description: 'Id of the key.' }) },
    resolve: async (_root, { id }, { deps, principal }) => revokeKey(deps, await principal(), id),
  }),
}));
