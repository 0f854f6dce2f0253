import { type Advice, adviceKinds } from '../../usage/advice/advice.ts';
import { adviseProject } from '../../usage/advice/advise.ts';
import { builder } from '../builder.ts';
import { projectArgs } from './arguments.ts';
import { UsageKeyType } from './usage.ts';

const UsageAdvice = builder.objectRef<Advice>('UsageAdvice').implement({
  description: 'A fact on record of an endpoint that its author may want to act on.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: `One of ${adviceKinds.join(', ')}.` }),
    endpoint: t.exposeString('endpoint', { description: 'Name of the endpoint.' }),
    endpointId: t.exposeID('endpointId', { description: 'Id of the endpoint.' }),
    version: t.exposeInt('version', {
      description: 'The version it is about: the current one, or the old one that still runs.',
    }),
    key: t.field({
      type: UsageKeyType,
      nullable: true,
      description: 'Whose runs it is about; null when it is about no key.',
      resolve: ({ key }) => key,
    }),
    detail: t.exposeString('detail', {
      description: 'What was found, and what to do, in a sentence or two.',
    }),
    facts: t.field({
      type: 'JSON',
      description: 'The numbers that it was computed from, by name.',
      resolve: ({ facts }) => facts,
    }),
  }),
});

builder.queryField('usageAdvice', (t) =>
  t.field({
    type: [UsageAdvice],
    nullable: true,
    description:
      'What the record of a project suggests: endpoints nobody runs, old versions that still run, cache ages that recompute without change, endpoints that materializing would make faster, variables nobody gives. Needs the scope endpoint:write.',
    args: projectArgs,
    resolve: async (_root, { projectId }, { deps, principal }) => [
      ...(await adviseProject(deps, await principal(), projectId)),
    ],
  }),
);
