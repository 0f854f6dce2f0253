import { authorizeAudit } from '../../access/authorize-audit.ts';
import { actorInterfaces } from '../../model/actor.ts';
import { auditActions } from '../../model/audit-action.ts';
import { toAuditQuery } from '../../store/audit-list.ts';
import { builder } from '../builder.ts';
import { projectIdDescription } from './arguments.ts';
import { User } from './user.ts';

export const AuditEntry = builder.prismaObject('AuditEntry', {
  description: 'One write: who did what, when, and what it changed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the entry.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was done.' }),
    projectId: t.exposeID('projectId', {
      nullable: true,
      description: 'The project it concerns; null: none, or all of them.',
    }),
    action: t.exposeString('action', { description: `What was done: ${auditActions.join(', ')}.` }),
    door: t.exposeString('door', {
      description: `Where it came from: ${actorInterfaces.join(', ')}.`,
    }),
    keyId: t.exposeID('apiKeyId', {
      nullable: true,
      description: 'The key that it was done by; null from the command line and by the service.',
    }),
    user: t.field({
      type: User,
      nullable: true,
      select: { userId: true },
      description: 'Whose key it was; null when nobody is known.',
      resolve: ({ userId }, _args, { loaders }) =>
        userId === null ? null : loaders.user.load(userId),
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'The x-request-id of the request, by which the log names it too.',
    }),
    endpointName: t.exposeString('endpointName', {
      nullable: true,
      description: 'Name of the endpoint that it was done to.',
    }),
    version: t.exposeInt('version', {
      nullable: true,
      description: 'Version of the endpoint that it was done to.',
    }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      select: { before: true },
      description:
        'How it was before; of an update only the members that changed. Null when there was nothing.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      select: { after: true },
      description:
        'How it is since; of an update only the members that changed. Null when there is nothing any more.',
      resolve: ({ after }) => after,
    }),
  }),
});

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Which entries a list holds; all conditions must be met.',
  fields: (t) => ({
    endpoint: t.string({ description: 'Only what was done to endpoints of this name.' }),
    action: t.string({ description: 'Only this action, e.g. endpoint.update.' }),
    actor: t.string({
      description: `Only by this actor: the id of a key, the number of a user, or a door (${actorInterfaces.join(', ')}).`,
    }),
    since: t.field({ type: 'DateTime', description: 'Only from this instant on.' }),
    until: t.field({ type: 'DateTime', description: 'Only before this instant.' }),
  }),
});

builder.queryFields((t) => ({
  auditLog: t.prismaConnection(
    {
      type: AuditEntry,
      nullable: true,
      cursor: 'id',
      description:
        'What was written, newest first: of one project with the scope endpoint:write, without what was done to keys; of the whole service with the scope admin.',
      args: {
        projectId: t.arg.id({
          description: `${projectIdDescription} Absent: the whole service.`,
        }),
        filter: t.arg({ type: AuditFilter, description: 'Which of them; all when absent.' }),
      },
      totalCount: async (_connection, { projectId, filter }, context) => {
        const call = { projectId: projectId ?? null, filter: filter ?? {} };
        const { where } = toAuditQuery(authorizeAudit(await context.principal(), call));
        return context.prisma.auditEntry.count({ where });
      },
      resolve: async (query, _root, { projectId, filter }, context) => {
        const call = { projectId: projectId ?? null, filter: filter ?? {} };
        const list = toAuditQuery(authorizeAudit(await context.principal(), call));
        return context.prisma.auditEntry.findMany({ ...query, ...list });
      },
    },
    { name: 'AuditConnection' },
    { name: 'AuditEdge' },
  ),
}));
