import { authorizeAudit } from '../../access/authorize-audit.ts';
import { actorInterfaces } from '../../model/actor.ts';
import { toAuditQuery } from '../../store/audit-list.ts';
import { builder } from '../builder.ts';
import { pageByPosition } from '../cursors.ts';
import { projectIdDescription } from './arguments.ts';
import { User } from './user.ts';

const AuditEntry = builder.prismaObject('AuditEntry', {
  description: 'An entry of the audit log: one write, with its author and what it changed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the entry.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    projectId: t.exposeID('projectId', {
      nullable: true,
      description: 'Id of the project; null if the write concerns no project or all of them.',
    }),
    action: t.exposeString('action', {
      description: 'What was done: object and verb, such as endpoint.create or key.revoke.',
    }),
    door: t.exposeString('door', {
      description: `Origin of the write: ${actorInterfaces.join(', ')}.`,
    }),
    keyId: t.exposeID('apiKeyId', {
      nullable: true,
      description: 'The key used; null for the command line and the service itself.',
    }),
    user: t.field({
      type: User,
      nullable: true,
      select: { userId: true },
      description: 'The owner of the key; null if unknown.',
      resolve: ({ userId }, _args, { loaders }) =>
        userId === null ? null : loaders.user.load(userId),
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'The x-request-id of the request, as in the log.',
    }),
    endpointName: t.exposeString('endpointName', {
      nullable: true,
      description: 'Name of the endpoint.',
    }),
    version: t.exposeInt('version', {
      nullable: true,
      description: 'Number of the version.',
    }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      select: { before: true },
      description:
        'State before the write; for an update, only the changed members. Null if there was none, as for a creation.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      select: { after: true },
      description:
        'State after the write; for an update, only the changed members. Null if there is none, as after a deletion.',
      resolve: ({ after }) => after,
    }),
  }),
});

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Conditions for a list of entries, all of which must hold.',
  fields: (t) => ({
    endpoint: t.string({ description: 'Only entries about endpoints with this name.' }),
    action: t.string({
      description: 'Only entries with this action, for example endpoint.update.',
    }),
    actor: t.string({
      description: `Only entries of this actor: the id of a key, the number of a user, or an interface (${actorInterfaces.join(', ')}).`,
    }),
    since: t.field({ type: 'DateTime', description: 'Only entries at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Only entries before this time.' }),
  }),
});

builder.queryFields((t) => ({
  auditLog: t.prismaConnection(
    {
      type: AuditEntry,
      nullable: true,
      cursor: 'id',
      description:
        'The audit log, newest first. The scope endpoint:write gives access to one project, without changes of keys; the scope admin to everything.',
      args: {
        projectId: t.arg.id({
          description: `${projectIdDescription} Default: the whole service.`,
        }),
        filter: t.arg({ type: AuditFilter, description: 'Which entries to return; default: all.' }),
      },
      totalCount: async (_connection, { projectId, filter }, context) => {
        const call = { projectId: projectId ?? null, filter: filter ?? {} };
        const list = await authorizeAudit(context.deps, await context.principal(), call);
        const { where } = toAuditQuery(list);
        return context.prisma.auditEntry.count({ where });
      },
      resolve: async (query, _root, { projectId, filter }, context) => {
        const call = { projectId: projectId ?? null, filter: filter ?? {} };
        const list = await authorizeAudit(context.deps, await context.principal(), call);
        const { where, orderBy } = toAuditQuery(list);
        const page = await pageByPosition(query, {
          find: async (id) => {
            const row = { where: { AND: [where, { id }] }, select: { sequence: true } };
            return (await context.prisma.auditEntry.findFirst(row))?.sequence ?? null;
          },
          where: (sequence) => ({ sequence }),
        });
        return context.prisma.auditEntry.findMany({
          ...page.query,
          where: { AND: [where, page.where] },
          orderBy,
        });
      },
    },
    { name: 'AuditConnection', description: 'A page of the audit log.' },
    { name: 'AuditEdge', description: 'An entry of a page.' },
  ),
}));
