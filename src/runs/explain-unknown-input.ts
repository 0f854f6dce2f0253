import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { selectRunnable } from '../endpoints/resolve-version.ts';
import type { RunDeps } from './deps.ts';

/** An unknown input of a run. */
export interface UnknownInput {
  readonly projectId: string;
  readonly name: string;
  readonly input: string;
  readonly isInBody: boolean;
}

/** How to pass an input that is a variable of the endpoint; null when it is not, or the caller may not see it. */
export async function explainUnknownInput(
  deps: RunDeps,
  principal: Principal,
  { projectId, name, input, isInBody }: UnknownInput,
): Promise<string | null> {
  try {
    requireScope(principal, 'endpoint:read');
    const project = requireProject(principal, projectId);
    const call = { name, version: null, now: deps.clock.now() };
    const { version } = await selectRunnable(deps, project, call);
    if (!version.variables.some((variable) => variable.name === input)) return null;
  } catch {
    return null;
  }
  const spelling = isInBody ? `"variables": {"${input}": …}` : `variables[${input}]=…`;
  return `${input} is a variable of this endpoint: pass it as ${spelling}.`;
}
