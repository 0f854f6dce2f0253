import {
  type LimitName,
  type LimitOverrides,
  limitNames,
  limitRules,
  type QueryLimits,
} from '../../model/query-limits.ts';
import { builder } from '../builder.ts';

/** One value for each limit, by its name. */
function ofEach<Made>(make: (name: LimitName) => Made): Readonly<Record<LimitName, Made>> {
  return Object.fromEntries(limitNames.map((name) => [name, make(name)])) as Record<
    LimitName,
    Made
  >;
}

export const ProjectLimits = builder.objectRef<QueryLimits>('ProjectLimits').implement({
  description: 'Limits that apply to the runs of a project: its own, or those of the server.',
  fields: (t) =>
    ofEach((name) =>
      t.float({ description: limitRules[name].what, resolve: (limits) => limits[name] }),
    ),
});

/** Null: no limit of its own. */
export const OwnLimits = builder.objectRef<LimitOverrides>('OwnLimits').implement({
  description: 'Limits of a project or a key itself; null: none.',
  fields: (t) =>
    ofEach((name) =>
      t.float({
        nullable: true,
        description: limitRules[name].what,
        resolve: (limits) => limits[name] ?? null,
      }),
    ),
});

export const LimitsInput = builder.inputType('LimitsInput', {
  description: 'Limits to set, below those that apply otherwise.',
  fields: (t) => ofEach((name) => t.float({ description: limitRules[name].what })),
});
