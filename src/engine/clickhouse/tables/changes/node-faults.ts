import { EngineError } from '../../errors/engine-error.ts';
import { isFaultOfNode } from '../../http/failover.ts';

/** Unknown database, unknown user, failed login: a machine that was just replaced. */
const LACKING: ReadonlySet<number> = new Set([81, 192, 516]);

export function lacksProject(error: unknown): boolean {
  return error instanceof EngineError && LACKING.has(error.code);
}

/** Whether the work goes on without this node, because it was lost or has nothing of the project. */
export function isSkippable(error: unknown): boolean {
  return isFaultOfNode(error) || lacksProject(error);
}
