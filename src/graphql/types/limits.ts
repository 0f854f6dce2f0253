import {
  type LimitName,
  type LimitOverrides,
  limitNames,
  limitRules,
  type QueryLimits,
} from '../../model/query-limits.ts';
import { builder } from '../builder.ts';

/** One value per limit, by name. */
function ofEach<Made>(make: (name: LimitName) => Made): Readonly<Record<LimitName, Made>> {
  return Object.fromEntries(limitNames.map((name) => [name, make(name)])) as Record<
    LimitName,
    Made
  >;
}

export const ProjectLimits = builder.objectRef<QueryLimits>('ProjectLimits').implement({
  description:
    'Limits that apply to the runs of a project: those set on it, otherwise those of the server.',
  fields: (t) =>
    ofEach((name) =>
      t.float({ description: limitRules[name].what, resolve: (limits) => limits[name] }),
    ),
});

/** Null means no limit of its own. */
export const OwnLimits = builder.objectRef<LimitOverrides>('OwnLimits').implement({
  description: 'Limits set on a project or a key itself; null where none is set.',
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
  description: 'Limits to set. None may exceed the limit that applies without it.',
  fields: (t) => ofEach((name) => t.float({ description: limitRules[name].what })),
});
