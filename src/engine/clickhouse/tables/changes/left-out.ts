import { EngineError } from '../../errors/engine-error.ts';
import { isFaultOfNode } from '../../http/send-until-taken.ts';

/** Unknown database, unknown user, failed login: a machine that was replaced a moment ago. */
const LACKING: ReadonlySet<number> = new Set([81, 192, 516]);

export function lacksProject(error: unknown): boolean {
  return error instanceof EngineError && LACKING.has(error.code);
}

/** Whether what was asked of a node is done without it: it was lost, or has nothing of the project. */
export function isLeftOut(error: unknown): boolean {
  return isFaultOfNode(error) || lacksProject(error);
}
