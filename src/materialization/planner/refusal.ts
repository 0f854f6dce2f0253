/** Ends planning with a reason that the query's author can act on; never leaves the planner. */
export class Refusal extends Error {}

export function refuse(reason: string): never {
  throw new Refusal(reason);
}
