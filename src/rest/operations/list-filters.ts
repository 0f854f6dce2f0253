import { type Inputs, input } from '../../openapi/inputs.ts';
import { flag, integer } from '../../openapi/schemas/members.ts';

/** Filters of the lists of endpoints and of versions. */
export const listFilters = {
  is_active: input(flag('Only active ones, or only inactive ones.')),
  created_by: input(integer('Only those created by the user with this number.')),
} as const satisfies Inputs;
