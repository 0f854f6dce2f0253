import { createOwnKey } from '../../access/create-key.ts';
import { requireScope } from '../../access/principal.ts';
import { revokeKey } from '../../access/revoke-key.ts';
import { readLimits } from '../../model/query-limits.ts';
import { builder } from '../builder.ts';
import { LimitsInput, OwnLimits } from './limits.ts';
import { Project } from './project.ts';
import { User } from './user.ts';

export const ApiKey = builder.prismaObject('ApiKey', {
  description: 'A key, without its secret.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the key.' }),
    label: t.exposeString('label', { description: 'What it is for.' }),
    prefix: t.exposeString('prefix', { description: 'Its first characters.' }),
    owner: t.relation('user', { type: User, description: 'Whose it is.' }),
    scopes: t.exposeStringList('scopes', {
      description: 'endpoint:read, endpoint:write (implies read), admin (implies all).',
    }),
    projectIds: t.idList({
      select: { projects: { select: { id: true }, orderBy: { id: 'asc' } } },
      description: 'The projects it is for.',
      resolve: (key) => key.projects.map((project) => project.id),
    }),
    projects: t.relation('projects', {
      type: Project,
      description: 'The same with their names.',
      query: () => ({ orderBy: { id: 'asc' } }),
    }),
    limits: t.field({
      type: OwnLimits,
      select: { limits: true },
      description: 'What it may take less than its projects.',
      resolve: ({ limits }) => readLimits(limits),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was issued.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it stops working; null: never.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to half a minute.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked.',
    }),
  }),
});

const IssuedKey = builder
  .objectRef<{ readonly id: string; readonly key: string }>('IssuedKey')
  .implement({
    description: 'A new key with its secret, which is shown this once.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the key.' }),
      key: t.exposeString('key', {
        description: 'The secret: send it as Authorization: Bearer <key>.',
      }),
    }),
  });

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'A new key of the caller.',
  fields: (t) => ({
    label: t.string({ required: true, description: 'What it is for.' }),
    scopes: t.stringList({ required: true, description: 'endpoint:read, endpoint:write, admin.' }),
    projectIds: t.intList({ required: true, description: 'The projects it is for.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it stops working; never when absent.',
    }),
    limits: t.field({
      type: LimitsInput,
      description: 'What it may take less than each of its projects.',
    }),
  }),
});

builder.queryFields((t) => ({
  currentKey: t.prismaField({
    type: ApiKey,
    nullable: true,
    description: 'The key of this request.',
    resolve: async (query, _root, _args, { prisma, principal }) => {
      const caller = await principal();
      requireScope(caller, 'endpoint:read');
      return prisma.apiKey.findUniqueOrThrow({ ...query, where: { id: caller.keyId } });
    },
  }),
  apiKeys: t.prismaConnection(
    {
      type: ApiKey,
      nullable: true,
      cursor: 'id',
      description: 'All keys, newest first. Takes the scope admin.',
      totalCount: async (_connection, _args, context) => {
        requireScope(await context.principal(), 'admin');
        return context.prisma.apiKey.count();
      },
      resolve: async (query, _root, _args, context) => {
        requireScope(await context.principal(), 'admin');
        return context.prisma.apiKey.findMany({
          ...query,
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        });
      },
    },
    { name: 'ApiKeyConnection' },
    { name: 'ApiKeyEdge' },
  ),
}));

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: IssuedKey,
    description: 'Issues a key. Takes the scope admin.',
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key.' }) },
    resolve: async (_root, { input }, { deps, principal }) =>
      createOwnKey(deps, await principal(), {
        ...input,
        expiresAt: input.expiresAt ?? null,
        limits: input.limits ?? {},
      }),
  }),
  revokeApiKey: t.boolean({
    description:
      'Revokes a key: it stops working on every process within seconds. False when it was revoked before. Takes the scope admin.',
    args: { id: t.arg.id({ required: true, description: 'Id of the key.' }) },
    resolve: async (_root, { id }, { deps, principal }) => revokeKey(deps, await principal(), id),
  }),
}));
