import { isTextError } from '../../sql/sql-analysis.ts';

/** Ends planning with a reason the query's author can act on; never leaves the planner. */
export class Refusal extends Error {}

/** Refuses the clause that a variable or arrayJoin is used in; another plan of the query may still work. */
export class ClauseRefusal extends Refusal {}

/** Refuses the current time where a stored table would freeze it; a read may evaluate it. */
export class TimeRefusal extends Refusal {}

export function refuse(reason: string): never {
  throw new Refusal(reason);
}

export function refuseClause(reason: string): never {
  throw new ClauseRefusal(reason);
}

/** Whether the query is the reason: it is refused, or the engine does not take a text that was made of it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Refusal || isTextError(error);
}
