import { requireExistingProject } from '../access/get-project.ts';
import { type Principal, requireScope } from '../access/principal.ts';
import { isEndpointName } from '../endpoints/endpoint-name.ts';
import { invalidInput } from '../errors/service-error.ts';
import { monthsBefore } from '../query/relative-date.ts';
import type { RunDeps } from './deps.ts';

export interface ExecutionTime {
  readonly name: string;
  readonly executedAt: Date;
}

const months = 6;
const maxNames = 1000;

/** When each named endpoint last ran, in the order of the names; omits endpoints that are unknown or never ran. */
export async function lastExecutionTimes(
  deps: RunDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly names: readonly string[] },
): Promise<readonly ExecutionTime[]> {
  requireScope(principal, 'endpoint:read');
  const projectId = await requireExistingProject(deps, principal, call.projectId);
  const names = [...new Set(call.names)];
  if (names.length > maxNames)
    throw invalidInput('names', `names may have at most ${maxNames} entries.`);
  for (const name of names) {
    if (!isEndpointName(name)) {
      throw invalidInput(
        'names',
        'Each name must be a letter, then up to 127 letters, digits, underscores or hyphens.',
      );
    }
  }
  if (names.length === 0) return [];
  await deps.recorder.flush();
  const since = monthsBefore(deps.clock.now(), months);
  const times = await deps.endpoints.lastExecutionTimes({ projectId, names, since });
  return names.flatMap((name) => {
    const executedAt = times.get(name);
    return executedAt === undefined ? [] : [{ name, executedAt }];
  });
}
