import { type Advice, adviceKinds } from '../../usage/advice/advice.ts';
import { adviseProject } from '../../usage/advice/advise.ts';
import { builder } from '../builder.ts';
import { projectArgs } from './arguments.ts';
import { UsageKeyType } from './usage.ts';

const UsageAdvice = builder.objectRef<Advice>('UsageAdvice').implement({
  description: 'An observation about the usage of an endpoint that its author may want to act on.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: `Kind of advice: ${adviceKinds.join(', ')}.` }),
    endpoint: t.exposeString('endpoint', { description: 'Name of the endpoint.' }),
    endpointId: t.exposeID('endpointId', { description: 'Id of the endpoint.' }),
    version: t.exposeInt('version', {
      description: 'The version it is about: the current one, or the old one that is still run.',
    }),
    key: t.field({
      type: UsageKeyType,
      nullable: true,
      description: 'The key whose runs it is about; null if it is not about a key.',
      resolve: ({ key }) => key,
    }),
    detail: t.exposeString('detail', {
      description: 'What was found and what to do about it, in one or two sentences.',
    }),
    facts: t.field({
      type: 'JSON',
      description: 'The numbers behind the advice, by name.',
      resolve: ({ facts }) => facts,
    }),
  }),
});

builder.queryField('usageAdvice', (t) =>
  t.field({
    type: [UsageAdvice],
    nullable: true,
    description:
      'Advice from the recorded usage of a project: unused endpoints, old versions still in use, cache ages that recompute unchanged results, endpoints that would gain from materialization, unused variables. Needs the scope endpoint:write.',
    args: projectArgs,
    resolve: async (_root, { projectId }, { deps, principal }) => [
      ...(await adviseProject(deps, await principal(), projectId)),
    ],
  }),
);
