import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { selectRunnable } from '../endpoints/resolve-version.ts';
import type { RunDeps } from './deps.ts';

/** As some clients write the values of a list: `variables[name][]` or `variables[name][0]`. */
const LISTED = /^variables\[([^\][]*)\]\[\d*\]$/;

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
    const isVariable = (text: string) => version.variables.some((each) => each.name === text);
    const listed = isInBody ? undefined : LISTED.exec(input)?.[1];
    if (listed !== undefined && isVariable(listed))
      return `The values of a list are separated by commas, or the parameter is repeated: pass it as variables[${listed}]=….`;
    if (!isVariable(input)) return null;
  } catch {
    return null;
  }
  const spelling = isInBody ? `"variables": {"${input}": …}` : `variables[${input}]=…`;
  return `${input} is a variable of this endpoint: pass it as ${spelling}.`;
}
